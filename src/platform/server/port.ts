import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Records } from '../state/records.js';

/** Where to listen. */
export interface Place {
  readonly host: string;
  /** 0 takes a free port; undefined the one that the data folder remembers, if it is free. */
  readonly port: number | undefined;
}

const KEY = 'port';

/**
 * Begins to listen and remembers the port with the records: the metadata URLs of certificates stand on the chain for
 * ever, and name it. A port taken only because the remembered one was not free is not remembered.
 *
 * @throws Error with code EADDRINUSE when the port that was asked for is taken
 */
export async function listenOn(server: FastifyInstance, records: Records, place: Place): Promise<void> {
  const { host, port: wanted } = place;
  const last = await lastPort(records);
  if (wanted === undefined && last !== undefined && (await succeeds(server, host, last))) return;
  await server.listen({ host, port: wanted ?? 0 });
  if (last !== undefined && (wanted ?? 0) === 0) return;
  const { port } = server.server.address() as AddressInfo;
  const sql = 'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = ?';
  await records.transact((writer) => writer.run(sql, [KEY, String(port), String(port)]));
}

async function lastPort(records: Records): Promise<number | undefined> {
  const row = await records.first<{ value: string }>('SELECT value FROM meta WHERE key = ?', [KEY]);
  return row && Number(row.value);
}

async function succeeds(server: FastifyInstance, host: string, port: number): Promise<boolean> {
  try {
    await server.listen({ host, port });
    return true;
  } catch (cause) {
    const code = (cause as { readonly code?: unknown }).code;
    if (code === 'EADDRINUSE' || code === 'EACCES') return false;
    throw cause;
  }
}
