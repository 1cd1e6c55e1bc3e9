import type { IncomingMessage } from 'node:http';

/** How long, and how far, what is left of a refused body is read and thrown away. */
const LINGER_MS = 2000;
const LINGER_BYTES = 4_000_000;

const LOOK_MS = 100;

/**
 * Ends the body of a request that was answered before it was read. For a moment it is read and thrown away, because a
 * connection that is closed at once takes the answer with it; then the connection is closed.
 */
export function endUnread(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const { bytesRead } = socket;
  const since = performance.now();
  request.resume();
  const looking = setInterval(() => {
    const isOver =
      performance.now() - since > LINGER_MS ||
      socket.bytesRead - bytesRead > LINGER_BYTES ||
      socket.destroyed;
    if (isOver && !request.complete) socket.destroy();
    if (isOver || request.complete) clearInterval(looking);
  }, LOOK_MS);
  looking.unref();
}
