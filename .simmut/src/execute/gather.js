/** A limit for rounds: a rule that never stops asking is a bug, not a long conversation. */
const MAX_ROUNDS = 8;
/**
 * Asks round by round: `next` names the reads that follow from the answers so far, until it names none.
 *
 * @returns all answers, in the order of the requests
 */
export async function gather(service, next) {
    const answers = [];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const requests = next(answers);
        if (requests.length === 0)
            return answers;
        answers.push(...(await Promise.all(requests.map((request) => service.read(request)))));
    }
    return answers;
}
