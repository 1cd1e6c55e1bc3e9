import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What connections of a server are held to. */
export interface ConnectionRules {
  /** Connections at a time; half of them from one address. */
  readonly connections: number;
  /** Milliseconds until a connection sends its first request. */
  readonly idleMs: number;
}

/** Connections of one address, or of all. */
interface Group {
  readonly all: Set<Socket>;
  /** Those that have sent no request yet, oldest first. */
  readonly silent: Set<Socket>;
}

/**
 * Bounds the connections of a server. When there are too many, the oldest that has never asked anything makes way for a new
 * one, so that whoever opens many and says nothing keeps nobody out.
 */
export function boundConnections(server: Server, { connections, idleMs }: ConnectionRules): void {
  const everybody: Group = { all: new Set(), silent: new Set() };
  const addresses = new Map<string, Group>();
  const timers = new WeakMap<Socket, NodeJS.Timeout>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const own = addresses.get(address) ?? { all: new Set(), silent: new Set() };
    addresses.set(address, own);
    for (const { all, silent } of [everybody, own]) {
      all.add(socket);
      silent.add(socket);
    }
    timers.set(socket, setTimeout(() => socket.destroy(), idleMs).unref());
    socket.once('close', () => {
      clearTimeout(timers.get(socket));
      for (const { all, silent } of [everybody, own]) {
        all.delete(socket);
        silent.delete(socket);
      }
      if (own.all.size === 0 && addresses.get(address) === own) addresses.delete(address);
    });
    makeRoom(own, connections / 2);
    makeRoom(everybody, connections);
  });
  server.on('request', ({ socket }) => {
    clearTimeout(timers.get(socket));
    everybody.silent.delete(socket);
    addresses.get(socket.remoteAddress ?? '')?.silent.delete(socket);
  });
}

/** Ends the oldest silent connection of too many; the newest is one of them. */
function makeRoom({ all, silent }: Group, most: number): void {
  if (all.size <= most) return;
  const standing = [...all].filter(({ destroyed }) => !destroyed).length;
  if (standing <= most) return;
  for (const socket of silent) {
    if (socket.destroyed) continue;
    socket.destroy();
    return;
  }
}
