import { array, assert, constantFrom, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeldBytes, type Holding } from '../../../src/platform/admission/held-bytes.js';
import { Busy } from '../../../src/platform/admission/refusals.js';

const MB = 1_000_000;

function status(holding: Holding, bytes: number): number | undefined {
  try {
    holding.add(bytes);
    return undefined;
  } catch (cause) {
    if (cause instanceof Busy) return cause.status;
    throw cause;
  }
}

describe('the bytes of bodies in memory', () => {
  it('are counted as they come, so that silent uploads take nothing', () => {
    const held = new HeldBytes(10 * MB, 5 * MB);
    for (let count = 0; count < 200; count += 1) held.begin('org a');
    expect(held.total).toBe(0);
    expect(status(held.begin('org b'), 4 * MB)).toBeUndefined();
  });

  it('are shared: one caller takes no more than its share, and its oldest body comes to an end', () => {
    const held = new HeldBytes(10 * MB, 4 * MB);
    const [oldest, younger] = [held.begin('org a'), held.begin('org a')];
    expect(status(oldest, 3 * MB)).toBeUndefined();
    expect(status(younger, 2 * MB)).toBe(429);
    expect(status(oldest, 3 * MB)).toBeUndefined();
    expect(status(held.begin('org b'), 4 * MB)).toBeUndefined();
  });

  it('leave room for a small body of anybody when all is taken', () => {
    const held = new HeldBytes(10 * MB, 5 * MB);
    for (const name of ['org a', 'org b']) held.begin(name).add(5 * MB);
    expect(status(held.begin('org c'), 2 * MB)).toBe(503);
    expect(status(held.begin('org c'), MB)).toBeUndefined();
  });

  it('are those of the bodies that were not given back, whatever came before', () => {
    const step = record({ caller: constantFrom('a', 'b', 'c'), bytes: nat(3 * MB), release: nat(5) });
    assert(
      property(array(step, { maxLength: 50 }), (steps) => {
        const held = new HeldBytes(8 * MB, 4 * MB);
        const open: { readonly holding: Holding; bytes: number }[] = [];
        for (const { caller, bytes, release } of steps) {
          const body = { holding: held.begin(caller), bytes: 0 };
          open.push(body);
          if (status(body.holding, bytes) === undefined) body.bytes += bytes;
          const [gone] = release < open.length ? open.splice(release, 1) : [];
          gone?.holding.release();
          gone?.holding.release();
          expect(held.total).toBe(open.reduce((sum, one) => sum + one.bytes, 0));
        }
      }),
    );
  });
});
