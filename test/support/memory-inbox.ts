import { digestOf } from '../../src/model/canonical.js';
import { parseStepId, type StepId } from '../../src/model/id.js';
import type { Json } from '../../src/model/json.js';
import type { Inbox } from '../../src/execute/ports.js';

/** The listener of one process: callbacks for steps that it opened, kept until there is a receiver. */
export class MemoryInbox implements Inbox {
  #handler: ((step: StepId, body: Json) => Promise<void>) | undefined;
  readonly #spool: { readonly step: StepId; readonly body: Json }[] = [];

  async open(step: StepId): ReturnType<Inbox['open']> {
    await Promise.resolve();
    return { url: step, token: digestOf(step) };
  }

  receive(handler: (step: StepId, body: Json) => Promise<void>): void {
    this.#handler = handler;
    for (const { step, body } of this.#spool) void handler(step, body);
  }

  /** Brings a callback; one that nobody can keep is delivered again when there is a receiver. */
  async deliver(url: string, body: Json): Promise<void> {
    const step = url as StepId;
    if (parseStepId(step) === undefined) throw new Error('callback addresses are steps');
    if (this.#handler === undefined) this.#spool.push({ step, body });
    else await this.#handler(step, body).catch(() => undefined);
  }
}
