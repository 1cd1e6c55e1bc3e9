import { member } from '../model/json.js';
import type { ReadAnswer, ReadRequest } from '../kinds/operation.js';
import type { Looked } from '../state/event.js';

/** Reads kept of one look; more say the same. */
const MAX_LOOKED = 8;

/** Texts are cut: they come from outside and are journaled. */
const MAX_TEXT = 160;

/** The reads of a look with what each showed, in words; at most eight. */
export function lookedAt(asked: readonly ReadRequest[], answers: readonly ReadAnswer[]): readonly Looked[] {
  return asked.slice(0, MAX_LOOKED).map((request, index) => ({
    read: readText(request),
    showed: answerText(answers[index]),
  }));
}

/** What was asked, without whom it was asked about: `certificate.list`, `receipt`. @param read as {@link lookedAt} tells it */
export function nameOfRead(read: string): string {
  const end = read.indexOf(' ');
  return end < 0 ? read : read.slice(0, end);
}

function readText(request: ReadRequest): string {
  switch (request.type) {
    case 'service':
      return cut([request.endpoint, ...Object.values({ ...request.params, ...request.query })].join(' '));
    case 'receipt':
      return cut(`receipt ${request.hash}`);
    case 'code':
    case 'owner':
    case 'account':
      return cut(`${request.type} ${request.address}`);
    case 'created':
      return cut(`created ${request.wallet}`);
    case 'file':
      return 'file of the service';
  }
}

function answerText(answer: ReadAnswer | undefined): string {
  if (answer === undefined || answer.type === 'absent') return 'nothing';
  if (answer.type === 'unreadable') return cut(`unreadable: ${answer.message}`);
  if (!Array.isArray(answer.value)) return stateText(answer.value);
  const count = answer.value.length;
  return count === 0 ? 'no entry' : `${count} ${count === 1 ? 'entry' : 'entries'}, none provably this one`;
}

/** A single thing, with its own word for how it is where it has one. */
function stateText(value: Extract<ReadAnswer, { type: 'found' }>['value']): string {
  const status = member(value, 'status');
  return typeof status === 'string'
    ? cut(`found, status ${status}, no proof in it`)
    : 'found, no proof in it';
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
