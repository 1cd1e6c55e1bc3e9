import type { Reader } from '../state/records.js';
import type { Counts } from './shapes.js';

/** Counts of an organisation, by the name that the console knows them under. */
const COUNTS: Readonly<Record<string, string>> = {
  projects: 'SELECT count(*) AS n FROM projects WHERE org = ?',
  versions: 'SELECT count(*) AS n FROM versions WHERE org = ?',
  versions_failed: `SELECT count(*) AS n FROM versions WHERE org = ? AND status = 'compile_failed'`,
  versions_queued: `SELECT count(*) AS n FROM versions WHERE org = ? AND status = 'compile_queued'`,
  deployments_failed: `SELECT count(*) AS n FROM deployments WHERE org = ? AND status = 'Error'`,
  contracts: `SELECT count(*) AS n FROM instances WHERE org = ? AND status = 'success'`,
  transactions: 'SELECT count(*) AS n FROM transactions WHERE org = ?',
  transactions_pending: `SELECT count(*) AS n FROM transactions WHERE org = ? AND status = 'pending'`,
  transactions_failed: `SELECT count(*) AS n FROM transactions WHERE org = ? AND status = 'failed'`,
  audit_records: 'SELECT count(*) AS n FROM audit_records WHERE org = ?',
  certificates: `SELECT count(*) AS n FROM certificate_transactions
    WHERE org = ? AND is_mint = 1 AND status = 'success'`,
  wallets: `SELECT count(*) AS n FROM wallets WHERE org = ? AND wallet_type <> 'system'`,
  callbacks_waiting: `SELECT count(*) AS n FROM callbacks WHERE org = ? AND state = 'pending'`,
  callbacks_given_up: `SELECT count(*) AS n FROM callbacks WHERE org = ? AND state = 'given-up'`,
};

/** What an organisation has, as numbers, and the height of the chain. */
export async function readOverview(reader: Reader, org: string): Promise<Counts> {
  const counted = await Promise.all(
    Object.entries(COUNTS).map(
      async ([name, sql]) => [name, (await reader.first<{ n: number }>(sql, [org]))?.n ?? 0] as const,
    ),
  );
  const top = await reader.first<{ n: number | null }>('SELECT max(number) AS n FROM blocks');
  return { ...Object.fromEntries(counted), block: top?.n ?? 0 };
}
