import { Agent, request } from 'undici';
import { networkFailure } from '../../model/network-failure.js';
import { targetsOf, type TargetRules } from './target.js';

/** Time that a receiver gets for its answer, and for a part of it, in milliseconds. */
const ANSWER_TIME = 10_000;

/** Bytes of an answer that are read; nothing of it is kept or shown. */
const ANSWER_BYTES = 65_536;

/** Posts callbacks to where they may go. */
export interface Poster {
  /** Why nothing may be posted to a URL; undefined when it may. */
  fault(url: string): string | undefined;
  /** Posts JSON text once; answers the HTTP status, or the kind of failure. */
  post(url: string, body: string): Promise<string>;
  close(): Promise<void>;
}

/** Opens a poster: no redirects, addresses judged when they are resolved, and caps on what a receiver may take. */
export function openPoster(rules: TargetRules): Poster {
  const targets = targetsOf(rules);
  const agent = new Agent({
    headersTimeout: ANSWER_TIME,
    bodyTimeout: ANSWER_TIME,
    maxHeaderSize: 16_384,
    connect: { timeout: 5000, lookup: targets.lookup },
  });
  return {
    fault: (url) => targets.fault(url),
    post: async (url, body) => {
      const fault = targets.fault(url);
      if (fault !== undefined) return fault;
      try {
        const response = await request(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
          dispatcher: agent,
          signal: AbortSignal.timeout(15_000),
        });
        await response.body.dump({ limit: ANSWER_BYTES });
        return String(response.statusCode);
      } catch (cause) {
        const code = (cause as { readonly code?: unknown } | null)?.code;
        return networkFailure(cause)?.reason ?? (typeof code === 'string' ? code : 'no answer came in time');
      }
    },
    close: () => agent.close(),
  };
}
