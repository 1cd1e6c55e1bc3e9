import type { Client } from './client.js';

/** Things of one organisation that operator's and console's routes name. */
interface Named {
  readonly project: string;
  readonly version: string;
  readonly deployment: string;
  readonly person: string;
  readonly record: string;
  readonly diplomas: string;
  readonly callback: string;
  readonly fault: string;
  readonly key: string;
  readonly mint: string;
}

/** What fills each `:name` of an operator's or console's route. */
export function operatorValue(url: string, name: string, world: Named): string {
  const values: readonly (readonly [part: string, name: string, value: string])[] = [
    ['/callbacks/', 'id', world.callback],
    ['/faults/', 'name', world.fault],
    ['/keys/', 'id', world.key],
    ['/deployments/', 'id', world.deployment],
    ['/transactions/', 'hash', world.mint],
    ['/audit/', 'id', world.record],
    ['/certificates/', 'contract', world.diplomas],
    ['/certificates/', 'token', '1'],
    ['/wallets/', 'address', world.person],
    ['/projects/', 'slug', world.project],
    ['/projects/', 'version', world.version],
  ];
  const found = values.find(([part, key]) => key === name && url.includes(part));
  // A new parameter must say here whose it is.
  if (!found) throw new Error(`no sample for :${name} of ${url}`);
  return found[2];
}

/** A rule that meets no request of these tests. */
export async function faultOf(api: Client, name: string): Promise<string> {
  const rule = {
    name,
    request: { operation: 'utils.gas-price' },
    when: { nth: 1e6 },
    fault: 'drop_before_commit',
  };
  await api.post('/_platform/faults', { windlass_faults: 1, rules: [rule] });
  return name;
}
