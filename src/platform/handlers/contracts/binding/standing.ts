import type { Reader } from '../../../state/records.js';
import type { VersionRow } from '../tables.js';

/** A contract of a version that was deployed before, or is on its way. */
export interface StandingContract {
  /** Checksummed; predicted while pending. */
  readonly address: string;
  readonly isPending: boolean;
}

/** The contracts of a version by name that were deployed before: two of a name tell that it is not one. */
export type StandingContracts = ReadonlyMap<string, readonly StandingContract[]>;

/**
 * Those contracts of these names that stand, or are on their way, of what the version is now: what was deployed before
 * it was submitted again is of other code. Two of a name at most.
 */
export async function standingContracts(
  reader: Reader,
  version: VersionRow,
  names: readonly string[],
): Promise<StandingContracts> {
  const found = new Map<string, readonly StandingContract[]>();
  for (const name of names) {
    const rows = await reader.all<{ address: string; status: string }>(
      `SELECT instances.address, instances.status FROM instances
       JOIN artifacts ON artifacts.id = instances.artifact_id
       WHERE instances.version_id = ? AND instances.status <> 'failed' AND artifacts.name = ?
         AND artifacts.queue_place = ? AND instances.address IS NOT NULL
       ORDER BY instances.id LIMIT 2`,
      [version.id, name, version.queue_place],
    );
    const contracts = rows.map(({ address, status }) => ({ address, isPending: status === 'pending' }));
    if (contracts.length > 0) found.set(name, contracts);
  }
  return found;
}

/** Where each name leads that is one contract which stands. */
export function addressesOf(standing: StandingContracts): ReadonlyMap<string, string> {
  return new Map(
    [...standing].flatMap(([name, [only, second]]) =>
      only !== undefined && second === undefined && !only.isPending ? [[name, only.address]] : [],
    ),
  );
}
