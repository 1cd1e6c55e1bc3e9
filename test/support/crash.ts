import type { StepId } from '../../src/model/id.js';
import type { Json } from '../../src/model/json.js';
import type { Ports } from '../../src/execute/ports.js';

/**
 * The death of a process at its n-th point: before or after any call of a port. What it asked for after that never
 * happens, and what it was asked is never answered.
 */
export class Crash {
  readonly died: Promise<void>;
  readonly #at: number;
  #points = 0;
  #die: () => void = () => undefined;

  constructor(at: number) {
    this.#at = at;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  get isOver(): boolean {
    return this.#points >= this.#at;
  }

  wrap({ service, journal, inbox, clock }: Ports): Ports {
    return {
      clock,
      service: {
        read: (request) => this.#through(() => service.read(request)),
        write: (request, url) => this.#through(() => service.write(request, url)),
      },
      journal: { append: (events) => this.#through(() => journal.append(events)) },
      inbox: {
        open: (step) => this.#through(() => inbox.open(step)),
        receive: (handler) =>
          inbox.receive((step: StepId, body: Json) => this.#through(() => handler(step, body))),
      },
    };
  }

  async #through<T>(call: () => Promise<T>): Promise<T> {
    await this.#point();
    const answer = await call();
    await this.#point();
    return answer;
  }

  async #point(): Promise<void> {
    this.#points += 1;
    if (!this.isOver) return;
    this.#die();
    await new Promise(() => undefined);
  }
}
