import { connect, type Socket } from 'node:net';

/** A connection on which bytes are written as they are. */
export interface RawSocket {
  readonly socket: Socket;
  readonly write: (bytes: string | Uint8Array) => void;
  /** Everything that came back so far. */
  readonly said: () => string;
  /** Statuses of the answers so far. */
  readonly statuses: () => readonly number[];
  /** True once the connection is over, whoever ended it. */
  readonly ended: () => boolean;
}

/** Connects to an address of this machine. */
export function openRaw(apiUrl: string): RawSocket {
  let said = '';
  let ended = false;
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(apiUrl).port) });
  socket.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (ended = true));
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    said: () => said,
    statuses: () => [...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1])),
    ended: () => ended,
  };
}

/** The head of a request, with what every one needs. */
export function headOf(line: string, headers: Readonly<Record<string, string | number>>): string {
  const all = { host: '127.0.0.1', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
