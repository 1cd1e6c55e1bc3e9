import type { EndpointName } from '../../src/protocol/endpoint.js';
import type { HttpResponse } from '../../src/remote/exchange.js';

interface Kept {
  readonly endpoint: EndpointName;
  readonly response: HttpResponse;
  /** Who heard it as the answer to its own request. */
  heardBy: object | undefined;
}

/** Answers that something on the way keeps, and may give to other requests; pages, too. */
export class Strays {
  readonly #answers: Kept[] = [];
  readonly #pages = new Map<string, HttpResponse>();

  /** The service answered a write. */
  keep(endpoint: EndpointName, response: HttpResponse): void {
    this.#answers.push({ endpoint, response, heardBy: undefined });
  }

  /** A process got an answer, and may act on it. */
  heard(response: object, by: object): void {
    const kept = this.#answers.find((item) => item.response === response);
    if (kept !== undefined) kept.heardBy ??= by;
  }

  /**
   * The last answer to another request of this endpoint.
   *
   * @param by it must be known to this process, as the answer to its own request: what is told to the wrong one alone is
   *   believed where nothing signs answers
   */
  answerTo(endpoint: EndpointName, by?: object): HttpResponse | undefined {
    return this.#answers.findLast(
      (kept) => kept.endpoint === endpoint && (by === undefined || kept.heardBy === by),
    )?.response;
  }

  /** The first answer to a GET of this path, and this one from now on if there was none. */
  pageOf(path: string, now: HttpResponse): HttpResponse {
    const page = this.#pages.get(path) ?? now;
    this.#pages.set(path, page);
    return page;
  }
}
