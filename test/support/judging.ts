import type { Json } from '../../src/model/json.js';
import type { Abilities } from '../../src/kinds/kind.js';
import type {
  CallbackHint,
  Known,
  Operation,
  Prepared,
  ReadAnswer,
  ReadRequest,
  StepView,
  Verdict,
} from '../../src/kinds/operation.js';

/** Answers of a service, by endpoint or by the type of the read. */
export type Answers = Readonly<Record<string, ReadAnswer | ((request: ReadRequest) => ReadAnswer)>>;

export const ABSENT: ReadAnswer = { type: 'absent' };
export const UNREADABLE: ReadAnswer = { type: 'unreadable', message: 'not offered here' };

export function found(value: Json, source: 'read' | 'chain' = 'read'): ReadAnswer {
  return { type: 'found', value, source };
}

/** A callback that claims something, as it is kept. */
export function hint(claim: CallbackHint['claim'], facts: CallbackHint['facts'] = {}): CallbackHint {
  return { claim, facts };
}

/** Asks what proves an attempt, and judges the answers. */
export function judged(
  operation: Operation,
  known: Known,
  abilities: Abilities,
  answers: Answers = {},
): Verdict {
  const sofar = ask((got) => operation.proofs(known, got, abilities), answers);
  return operation.judge(known, sofar, abilities);
}

/** Builds the request of a step from the answers to what it asks for first. */
export function prepared(operation: Operation, view: StepView, answers: Answers = {}): Prepared {
  return operation.request(
    view,
    ask((sofar) => operation.prepare(view, sofar), answers),
  );
}

/** The request of a step that is sent. */
export function written(
  operation: Operation,
  view: StepView,
  answers: Answers = {},
): Extract<Prepared, { type: 'write' }> {
  const request = prepared(operation, view, answers);
  if (request.type !== 'write') throw new Error(request.message);
  return request;
}

function ask(
  next: (answers: readonly ReadAnswer[]) => readonly ReadRequest[],
  answers: Answers,
): readonly ReadAnswer[] {
  const sofar: ReadAnswer[] = [];
  for (let requests = next(sofar); requests.length > 0; requests = next(sofar)) {
    for (const request of requests) sofar.push(answerOf(request, answers));
    if (sofar.length > 100) throw new Error('the rule never stops asking');
  }
  return sofar;
}

function answerOf(request: ReadRequest, answers: Answers): ReadAnswer {
  const answer = answers[request.type === 'service' ? request.endpoint : request.type];
  return (typeof answer === 'function' ? answer(request) : answer) ?? UNREADABLE;
}
