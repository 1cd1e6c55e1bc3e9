import type { ReadAnswer, ReadRequest } from '../kinds/operation.js';
import type { Service } from './ports.js';

/** A limit for rounds: a rule that never stops asking is a bug, not a long conversation. */
const MAX_ROUNDS = 8;

/**
 * Asks round by round: `next` names the reads that follow from the answers so far, until it names none.
 *
 * @returns all answers, in the order of the requests
 */
export function gather(
  service: Pick<Service, 'read'>,
  next: (answers: readonly ReadAnswer[]) => readonly ReadRequest[],
): Promise<readonly ReadAnswer[]> {
  const first = next([]);
  return first.length === 0 ? NOTHING : ask(service, first, next);
}

/** Most often there is nothing to read. */
const NOTHING: Promise<readonly ReadAnswer[]> = Promise.resolve([]);

async function ask(
  service: Pick<Service, 'read'>,
  first: readonly ReadRequest[],
  next: (answers: readonly ReadAnswer[]) => readonly ReadRequest[],
): Promise<readonly ReadAnswer[]> {
  const answers: ReadAnswer[] = [];
  let requests = first;
  for (let round = 0; round < MAX_ROUNDS && requests.length > 0; round += 1) {
    answers.push(...(await Promise.all(requests.map((request) => service.read(request)))));
    requests = next(answers);
  }
  return answers;
}
