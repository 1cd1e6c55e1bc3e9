import type { Socket } from 'node:net';

const REFUSED_BYTES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers bytes that are no request of HTTP, in the shape of every refusal; says nothing to who has gone. */
export function refuseBytes(cause: NodeJS.ErrnoException, socket: Socket): void {
  if (cause.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(cause);
    return;
  }
  const status = REFUSED_BYTES[cause.code ?? ''] ?? '400 Bad Request';
  const body = JSON.stringify({ message: status.slice(4) });
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${String(body.length)}`,
  ];
  socket.end([...head, 'connection: close', '', body].join('\r\n'));
}
