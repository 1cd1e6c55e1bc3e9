import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { digestOfBytes } from '../../src/model/canonical.js';
import type { Effect } from '../../src/platform/server/truth.js';

const CAMPAIGN = fileURLToPath(new URL('../../bench/torture-platform.mjs', import.meta.url));
const VERDICT = new URL('../../bench/platform/verdict.mjs', import.meta.url).href;

interface Request {
  readonly token: string;
  readonly kind: string;
  readonly answer?: { readonly status: number; readonly body?: object };
}

interface Facts {
  readonly sent: readonly Request[];
  readonly effects: readonly Effect[];
  readonly callbacks: ReadonlyMap<string, readonly string[]>;
  readonly chain: ReadonlyMap<
    string,
    { readonly from: string; readonly nonce: number; readonly ok: boolean }
  >;
}

const { verdictOf } = (await import(VERDICT)) as { readonly verdictOf: (facts: Facts) => readonly string[] };

const effect = (over: Partial<Effect> = {}): Effect => ({
  kind: 'certificate',
  subject: 1,
  name: null,
  token: digestOfBytes('t1'),
  transaction: '0x1',
  nonce: 0,
  state: 'live',
  address: '0xc',
  tokenId: '1',
  ...over,
});

const BODY = JSON.stringify({ status: 200, result: { status: 'success' } });

const SOUND: Facts = {
  sent: [
    {
      token: 't1',
      kind: 'mint',
      answer: { status: 200, body: { result: { transactionHash: '0x1', nft_token_id: 1 } } },
    },
    { token: 't2', kind: 'mint' },
    { token: 't3', kind: 'mint', answer: { status: 422 } },
  ],
  effects: [effect()],
  callbacks: new Map([['t1', [BODY, BODY]]]),
  chain: new Map([['0x1', { from: '0xa', nonce: 0, ok: true }]]),
};

describe('the comparison after a campaign of kills', () => {
  it('has nothing to say when answers, effects, callbacks and chain agree', () => {
    expect(verdictOf(SOUND)).toEqual([]);
  });

  const second = effect({ transaction: '0x2', tokenId: '2', nonce: 1 });
  it.each<[string, Partial<Facts>]>([
    ['an accepted request without an effect', { effects: [], callbacks: new Map(), chain: new Map() }],
    ['an accepted request with two effects', { effects: [effect(), second] }],
    ['a refused request with an effect', { effects: [effect(), { ...second, token: digestOfBytes('t3') }] }],
    ['an effect that never settled', { effects: [effect({ state: 'pending' })] }],
    ['another transaction than the one answered', { effects: [effect({ transaction: '0x9' })] }],
    ['another token than the one answered', { effects: [effect({ tokenId: '9' })] }],
    ['an effect that was not called back', { callbacks: new Map() }],
    ['callbacks that differ', { callbacks: new Map([['t1', [BODY, BODY.replace('200', '201')]]]) }],
    ['a callback that lies', { callbacks: new Map([['t1', [BODY.replace('success', 'failed')]]]) }],
    ['a callback without an effect', { callbacks: new Map([...SOUND.callbacks, ['t2', [BODY]]]) }],
    ['a live effect that is not on the chain', { chain: new Map() }],
    ['a failed effect that stands on the chain', { effects: [effect({ state: 'failed' })] }],
    [
      'a transaction that the records do not know',
      { chain: new Map([...SOUND.chain, ['0x5', { from: '0xa', nonce: 1, ok: true }]]) },
    ],
    ['an effect that nobody asked for', { effects: [effect(), { ...second, token: digestOfBytes('x') }] }],
  ])('tells of %s', (_what, change) => {
    expect(verdictOf({ ...SOUND, ...change })).not.toEqual([]);
  });
});

describe('a platform that is killed again and again while it is written to', () => {
  it('settles every accepted write once, calls back, and agrees with its chain', async () => {
    const run = promisify(execFile)(process.execPath, [CAMPAIGN, '--kills', '3', '--seed', '11']);
    const { stdout } = await run;
    expect(stdout).toMatch(/^torture:platform: 3 kills, [1-9]\d* writes .* 0 disagreements;/);
  }, 300_000);
});
