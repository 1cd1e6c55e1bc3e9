/** Base of the platform, whatever a proxy puts it below. */
const BASE = new URL('..', document.baseURI);

/** What went wrong, with what to do next. */
export class Problem extends Error {
  /**
   * @param {string} code `HTTP 404`, or `OFFLINE`
   * @param {string} message what the platform said
   */
  constructor(code, message) {
    super(message);
    this.name = 'Problem';
    this.code = code;
  }

  /** What to do about it. */
  get next() {
    return NEXT[this.code] ?? (this.code.startsWith('HTTP 5') ? NEXT['HTTP 500'] : NEXT['HTTP 422']);
  }
}

/** @type {Record<string, string | undefined>} */
const NEXT = {
  OFFLINE: 'See whether it runs: windlass platform status. Then start it: windlass platform start',
  'HTTP 401': 'Sign in again: windlass platform console prints a link.',
  'HTTP 403': 'Sign in with a key of the organisation that may do this.',
  'HTTP 404': 'It does not exist, or it belongs to another organisation. Go back to the list.',
  'HTTP 422': 'Correct what is named above, then try again.',
  'HTTP 429': 'Wait a few seconds; the page goes on by itself.',
  'HTTP 503': 'The platform is busy or stopping; the page goes on by itself.',
  'HTTP 500': 'The platform wrote the reason to its log: .windlass/platform.log, or where it was started.',
};

/** Called when nobody is signed in any more. @type {() => void} */
let signedOut = () => undefined;

/** Sets who is told that nobody is signed in any more. @param {() => void} listener */
export function onSignedOut(listener) {
  signedOut = listener;
}

/**
 * Calls the platform as the page does: the session's cookie, and the header that no other page can send.
 *
 * @param {string} method
 * @param {string} path below the platform's base, without a leading slash
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>} the `result` of the answer
 * @throws {Problem}
 */
export async function ask(method, path, body, signal) {
  /** @type {RequestInit} */
  const init = { method, headers: { 'x-windlass-console': '1' }, credentials: 'same-origin' };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    init.headers = { 'x-windlass-console': '1', 'content-type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  const response = await fetch(new URL(path, BASE), init).catch((cause) => {
    if (signal?.aborted) throw cause;
    throw new Problem('OFFLINE', 'The platform does not answer.');
  });
  const answer = /** @type {{ result?: unknown, message?: string }} */ (
    await response.json().catch(() => ({}))
  );
  if (response.ok) return answer.result;
  const problem = new Problem(`HTTP ${response.status}`, answer.message ?? response.statusText);
  if (response.status === 401 && !path.startsWith('console/session')) signedOut();
  throw problem;
}

/** Address of a kept file, from any address of it. @param {string} url */
export function fileAddress(url) {
  const at = url.indexOf('/files/');
  return new URL(at < 0 ? url : url.slice(at + 1), BASE).href;
}
