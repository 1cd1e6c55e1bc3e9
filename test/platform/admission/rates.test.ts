import { array, assert, integer, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientName } from '../../../src/platform/admission/clients.js';
import { Rates } from '../../../src/platform/admission/rates.js';
import { Busy } from '../../../src/platform/admission/refusals.js';

/** Whether a spending succeeds, and after how many seconds it would. */
function spent(rates: Rates, caller: string, tokens = 1): number | undefined {
  try {
    rates.spend(caller, tokens);
    return undefined;
  } catch (cause) {
    if (cause instanceof Busy) return cause.retryAfter;
    throw cause;
  }
}

describe('the rate of a caller', () => {
  it('never lets more pass in any time than a minute holds and what that time earns', () => {
    const steps = array(record({ wait: nat(20_000), tokens: integer({ min: 1, max: 30 }) }), {
      maxLength: 60,
    });
    assert(
      property(integer({ min: 1, max: 100 }), steps, (rate, all) => {
        let now = 1_000_000;
        let passed = 0;
        const rates = new Rates(rate, () => now);
        for (const { wait, tokens } of all) {
          now += wait;
          if (spent(rates, 'a', tokens) === undefined) passed += Math.min(tokens, rate);
        }
        expect(passed).toBeLessThanOrEqual(rate + ((now - 1_000_000) * rate) / 60_000 + 1e-6);
      }),
    );
  });

  it('takes a batch whole or not at all', () => {
    const rates = new Rates(10, () => 0);
    expect([spent(rates, 'a', 8), spent(rates, 'a', 8), spent(rates, 'a', 2)]).toEqual([
      undefined,
      36,
      undefined,
    ]);
  });

  it('holds a caller to what its calls turned out to cost, for two minutes at most', () => {
    let now = 0;
    const rates = new Rates(60, () => now);
    rates.charge('a', 1_000_000);
    expect(rates.isInDebt('a')).toBe(true);
    expect(spent(rates, 'a')).toBe(61);
    expect(spent(rates, 'b')).toBeUndefined();
    now += 61_000;
    expect(spent(rates, 'a')).toBeUndefined();
  });

  it('is forgotten of the oldest when there are too many callers', () => {
    const rates = new Rates(1, () => 0);
    expect(spent(rates, 'first')).toBeUndefined();
    for (let count = 0; count < 20_000; count += 1) spent(rates, `caller ${String(count)}`);
    expect(spent(rates, 'caller 19999')).toBeGreaterThan(0);
    expect(spent(rates, 'first')).toBeUndefined();
  });
});

describe('a client without a key', () => {
  it.each([
    ['10.0.0.1', 'client 10.0.0.1'],
    ['::ffff:10.0.0.1', 'client 10.0.0.1'],
    ['2001:db8:1:2::1', 'client 2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', 'client 2001:db8:1:2::/64'],
    ['::1', 'client 0:0:0:0::/64'],
    ['fe80::1%eth0', 'client fe80:0:0:0::/64'],
  ])('at %s is counted as %s', (ip, name) => {
    expect(clientName(ip)).toBe(name);
  });
});
