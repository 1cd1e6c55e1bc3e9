import type { StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type { Recorder } from '../execute/recorder.js';
import type { OpenInbox, TokenStore } from '../remote/inbox.js';
import { SYSTEM_CLOCK } from './clock.js';
import { drainSpool } from './spool-import.js';

/** How often the spool is looked into. */
const LOOK_MS = 200;

/** What an inbox beside a listener needs. */
export interface SpoolInboxParts {
  /** Folder of the spool. */
  readonly spool: string;
  readonly state: Recorder['state'];
  readonly tokens: TokenStore;
  /** How the service reaches the listener. */
  readonly url: string;
  readonly port: number;
  /** The listener still keeps callbacks. */
  readonly isListening: () => Promise<boolean>;
  /** Listens in its place; called when it died. Undefined: it could not. */
  readonly takeOver: () => Promise<OpenInbox | undefined>;
}

/**
 * The inbox of a run while a listener has the port: takes what the listener keeps, and listens itself should that one
 * die, so that there is a receiver at every moment.
 */
export function openSpoolInbox(parts: SpoolInboxParts): OpenInbox {
  const { tokens, url, port } = parts;
  const stopped = new AbortController();
  let receiver: ((step: StepId, body: Json) => Promise<void>) | undefined;
  let own: OpenInbox | undefined;
  const turn = async (): Promise<void> => {
    const receive = receiver;
    if (receive !== undefined) await drainSpool(parts.spool, parts, receive);
    if (own !== undefined || (await parts.isListening())) return;
    own = await parts.takeOver();
    if (receive !== undefined) own?.receive(receive);
  };
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      // What cannot be taken now stays in the spool, for the next turn or the next run.
      await turn().catch(() => undefined);
      await SYSTEM_CLOCK.sleep(LOOK_MS, stopped.signal);
    }
  };
  const looping = loop();
  return {
    url,
    port,
    open: async (step) => {
      const { token, digest } = await tokens.issue(step);
      return { url: `${url}/cb/${token}`, token: digest };
    },
    receive: (handler) => {
      receiver = handler;
      own?.receive(handler);
    },
    close: async () => {
      stopped.abort();
      await looping;
      await own?.close();
    },
  };
}
