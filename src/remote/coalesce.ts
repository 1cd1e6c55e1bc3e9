import { endOfTurn } from './turn.js';

/**
 * Lets equal questions share an answer, never one that is older than the question: a question joins another only
 * while that one has not been sent yet. (Joining one under way could answer with what was true before a write, and
 * a stale pre-image makes an old thing look new.) So of equal questions at most one is under way and one waits.
 *
 * @param keyOf equal questions have equal keys
 */
export function coalesce<Question, Answer>(
  keyOf: (question: Question) => string,
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const waiting = new Map<string, Promise<Answer>>();
  const underWay = new Map<string, Promise<unknown>>();
  return (question) => {
    const key = keyOf(question);
    const joined = waiting.get(key);
    if (joined) return joined;
    const start = async (): Promise<Answer> => {
      await (underWay.get(key) ?? endOfTurn());
      waiting.delete(key);
      const answer = ask(question);
      const settled = answer.then(forget, forget);
      underWay.set(key, settled);
      void settled.then(() => underWay.get(key) === settled && underWay.delete(key));
      return answer;
    };
    const answer = start();
    waiting.set(key, answer);
    return answer;
  };
}

function forget(): void {}
