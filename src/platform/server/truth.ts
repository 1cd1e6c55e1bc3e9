import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyRequest } from 'fastify';
import { digestOfBytes, type Digest } from '../../model/canonical.js';
import { isLoopback } from '../delivery/target.js';
import type { Records } from '../state/records.js';

/**
 * One thing that a write brought about, as the platform's own records have it: what really happened, whatever was
 * answered. `kind` is the subject of a transaction, or the kind of a record without one.
 */
export interface Effect {
  readonly kind: string;
  /** Id of the record. */
  readonly subject: number;
  /** Public name where the record has one: project, `project@version`, contract, category, tag. */
  readonly name: string | null;
  /** Digest of the last segment of the callback address that the request carried. */
  readonly token: Digest | null;
  readonly transaction: string | null;
  readonly nonce: number | null;
  readonly state: 'live' | 'failed' | 'pending';
  readonly address: string | null;
  /** Only of mints and transfers. */
  readonly tokenId: string | null;
}

type EffectRow = Omit<Effect, 'token'> & { readonly callback_url: string | null };

const TRANSACTIONS = `SELECT
    CASE WHEN move.is_mint = 0 THEN 'transfer' ELSE tx.subject_type END AS kind, tx.subject_id AS subject,
    artifact.name AS name, COALESCE(tx.callback_url, deployment.callback_url) AS callback_url,
    tx.hash AS "transaction", tx.nonce AS nonce,
    CASE tx.status WHEN 'success' THEN 'live' ELSE tx.status END AS state,
    COALESCE(tx.contract_address, contract.address) AS address, CAST(move.token_id AS TEXT) AS "tokenId"
  FROM transactions tx
  LEFT JOIN instances instance ON tx.subject_type = 'instance' AND instance.id = tx.subject_id
  LEFT JOIN deployments deployment ON deployment.id = instance.deployment
  LEFT JOIN artifacts artifact ON artifact.id = instance.artifact_id
  LEFT JOIN certificate_transactions move ON tx.subject_type = 'certificate' AND move.id = tx.subject_id
  LEFT JOIN certificate_contracts contract ON contract.id = move.contract_id
  ORDER BY tx.id`;

const BARE = `NULL AS callback_url, NULL AS "transaction", NULL AS nonce, 'live' AS state`;

const RECORDS = [
  `SELECT 'project' AS kind, id AS subject, slug AS name, ${BARE}, NULL AS address, NULL AS "tokenId" FROM projects`,
  `SELECT 'version' AS kind, versions.id AS subject, projects.slug || '@' || versions.version AS name, ${BARE},
    NULL AS address, NULL AS "tokenId" FROM versions JOIN projects ON projects.id = versions.project_id`,
  ...['category', 'tag'].map(
    (kind) => `SELECT '${kind}' AS kind, id AS subject, name, ${BARE}, NULL AS address, NULL AS "tokenId"
      FROM audit_${kind === 'tag' ? 'tags' : 'categories'}`,
  ),
  // Names of wallets name people, so they stay where they are.
  `SELECT 'wallet' AS kind, id AS subject, NULL AS name, ${BARE}, address, NULL AS "tokenId" FROM wallets
    WHERE wallet_type = 'end_user'`,
];

/** A port that says what really happened. */
export interface TruthPort {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Opens the port of ground truth: `GET /__truth/effects`, `?token=` with a digest for those of one attempt. It is for
 * tests that must not believe what the service answers; it listens on loopback, beside the service, only when asked
 * for. The engine never asks it.
 */
export async function openTruth(records: Records, port: number): Promise<TruthPort> {
  const server = Fastify({ forceCloseConnections: true });
  server.get('/__truth/effects', async (request: FastifyRequest, reply) => {
    if (!isLoopback(request.hostname)) return reply.status(403).send({ message: 'Forbidden.' });
    const { token } = request.query as { readonly token?: string };
    const effects = await effectsIn(records);
    return { effects: token === undefined ? effects : effects.filter((effect) => effect.token === token) };
  });
  await server.listen({ host: '127.0.0.1', port });
  const address = server.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${String(address.port)}`, close: () => server.close() };
}

async function effectsIn(records: Records): Promise<readonly Effect[]> {
  const groups = await Promise.all([...RECORDS, TRANSACTIONS].map((sql) => records.all<EffectRow>(sql)));
  return groups.flat().map(({ callback_url: url, ...effect }) => ({ ...effect, token: tokenOf(url) }));
}

function tokenOf(url: string | null): Digest | null {
  return url === null ? null : digestOfBytes(new URL(url).pathname.split('/').at(-1) ?? '');
}
