import { recordCallback } from './hear.js';
/**
 * Lets what happens outside the loop leave its messages: callbacks, a journal that breaks, and the person who stops the run.
 *
 * @returns what ends it
 */
export function connect({ signal, ports, recorder }, mailbox) {
    recorder.whenBroken((thrown) => mailbox.post({ type: 'broke', thrown }));
    ports.inbox.receive(async (step, body) => {
        const kept = recordCallback(recorder, step, body);
        mailbox.post({ type: 'heard', step });
        await kept;
    });
    const stop = () => mailbox.post({ type: 'stopped' });
    signal.addEventListener('abort', stop, { once: true });
    return () => signal.removeEventListener('abort', stop);
}
