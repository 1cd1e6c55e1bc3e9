import { recordCallback } from './hear.js';
import type { Mailbox } from './mailbox.js';
import type { RunInput } from './run-input.js';
import type { Message } from './run-message.js';

/**
 * Lets what happens outside the loop leave its messages: callbacks, a journal that breaks, and the person who stops the run.
 *
 * @returns what ends it
 */
export function connect(
  { signal, ports, recorder }: Pick<RunInput, 'signal' | 'ports' | 'recorder'>,
  mailbox: Mailbox<Message>,
): () => void {
  recorder.whenBroken((thrown) => mailbox.post({ type: 'broke', thrown }));
  ports.inbox.receive((step, body) => {
    const kept = recordCallback(recorder, step, body);
    mailbox.post({ type: 'heard', step });
    return kept;
  });
  const stop = (): void => mailbox.post({ type: 'stopped' });
  signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}
