import { describe, expect, test } from 'vitest';
import { WindlassError } from '../../src/model/error.js';
import type { Json } from '../../src/model/json.js';
import type { Plan } from '../../src/model/plan.js';
import type { PackageInput } from '../../src/model/resource.js';
import { pinPackages } from '../../src/plan/pins.js';

const PINNED = 'sha512-pinned';

/** What a plan that names `lib@1.0.0` is pinned to, when the lock and the registry say so. */
async function pinned(
  locked: Json | undefined,
  registry: (spec: string) => Promise<PackageInput>,
): Promise<readonly PackageInput[]> {
  const inputs = { packages: [{ name: 'lib', version: '1.0.0' }] };
  const plan = { resources: [{ id: 'version.p@1', kind: 'version', inputs }] } as unknown as Plan;
  const { resources } = await pinPackages(plan, () => locked, registry);
  return (resources[0] as unknown as { readonly inputs: typeof inputs }).inputs.packages;
}

const answers = (integrity?: string) => async (): Promise<PackageInput> => ({
  name: 'lib',
  version: '1.0.0',
  ...(integrity !== undefined && { integrity }),
});
const LOCKED: Json = { packages: { 'lib@1.0.0': PINNED } };

describe('a package that the lock pins', () => {
  test('stays what it is while the registry agrees, or says nothing', async () => {
    const pin = { name: 'lib', version: '1.0.0', integrity: PINNED };
    expect(await pinned(LOCKED, answers(PINNED))).toEqual([pin]);
    expect(await pinned(LOCKED, answers())).toEqual([pin]);
    const gone = async (): Promise<PackageInput> => {
      throw new WindlassError('PLAN_UNKNOWN_REFERENCE', 'The registry has no package lib@1.0.0.');
    };
    expect(await pinned(LOCKED, gone)).toEqual([pin]);
  });

  test('is refused when the registry has another one under the same version', async () => {
    await expect(pinned(LOCKED, answers('sha512-other'))).rejects.toMatchObject({ code: 'PACKAGE_REFUSED' });
  });

  test('is looked up where the lock does not name it', async () => {
    expect(await pinned(undefined, answers('sha512-new'))).toMatchObject([{ integrity: 'sha512-new' }]);
  });
});
