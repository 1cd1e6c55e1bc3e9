import { member } from '../model/json.js';
/** Reads kept of one look; more say the same. */
const MAX_LOOKED = 8;
/** Texts are cut: they come from outside and are journaled. */
const MAX_TEXT = 160;
/** The reads of a look with what each showed, in words; at most eight. */
export function lookedAt(asked, answers) {
    return asked.slice(0, MAX_LOOKED).map((request, index) => ({
        read: readText(request),
        showed: answerText(answers[index]),
    }));
}
function readText(request) {
    switch (request.type) {
        case 'service':
            return cut([request.endpoint, ...Object.values({ ...request.params, ...request.query })].join(' '));
        case 'receipt':
            return cut(`receipt ${request.hash}`);
        case 'code':
        case 'owner':
        case 'account':
            return cut(`${request.type} ${request.address}`);
        case 'file':
            return 'file of the service';
    }
}
function answerText(answer) {
    if (answer === undefined || answer.type === 'absent')
        return 'nothing';
    if (answer.type === 'unreadable')
        return cut(`unreadable: ${answer.message}`);
    if (!Array.isArray(answer.value))
        return stateText(answer.value);
    const count = answer.value.length;
    return count === 0 ? 'no entry' : `${count} ${count === 1 ? 'entry' : 'entries'}, none provably this one`;
}
/** A single thing, with its own word for how it is where it has one. */
function stateText(value) {
    const status = member(value, 'status');
    return typeof status === 'string'
        ? cut(`found, status ${status}, no proof in it`)
        : 'found, no proof in it';
}
function cut(text) {
    return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
