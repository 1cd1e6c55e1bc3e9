import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { inFolder, windlass, type Ended } from '../cli/command.js';
import { liveEffects } from '../support/fault-proxy.js';
import { png, STORY, tellStory, writeFiles, type Files } from '../support/story.js';

const ROUGH_DAY = fileURLToPath(new URL('../../examples/faults/rough-day.yaml', import.meta.url));
const OFFICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

const FILES: Files = {
  'windlass.yaml': `windlass: 1
name: rough-day
wallets: { office: { address: '${OFFICE}' } }
audit:
  contracts: { log: {} }
  categories: [release]
  tags: [v1]
  records: { shipped: { contract: log, signer: office, categories: [release], tags: [v1], metadata: { release: 1.0.0 } } }
certificates:
  contracts: { diplomas: { deployer: office, owner: office, name: Diploma, symbol: DIP, max_supply: 0 } }
  batches:
    class: { contract: diplomas, rows: rows.csv, key: id, to: "{{to}}", name: "No {{id}}", description: "-", image: image.png }
  transfers: { onwards: { contract: diplomas, token: "class[a]", from: office, to: '${BOB}' } }
`,
  'rows.csv': `id,to\na,${OFFICE}\nb,${BOB}\nc,${BOB}\n`,
  'image.png': png(1),
};

const ONCE = {
  'audit-contract': 1,
  'audit-record': 1,
  category: 1,
  tag: 1,
  'certificate-contract': 1,
  certificate: 3,
  transfer: 1,
};

/** Every kind of fault that the example has. */
const KINDS = [
  'cut_reply',
  'drop_after_commit',
  'drop_before_commit',
  'forged',
  'late',
  'lost',
  'refuse',
  'reordered',
  'slow',
  'status',
  'too_many',
  'twice',
  'wrong_shape',
];

interface Decision {
  readonly stream: string;
  readonly nth: number;
  readonly rule: string;
  readonly fault: JsonObject | null;
}

/** Applies until nothing is left to do, as an author would, and tells how each run ended. */
async function applyAll(
  run: (...args: readonly string[]) => Promise<Ended>,
): Promise<readonly (number | null)[]> {
  const codes: (number | null)[] = [];
  while (codes.length < 6 && codes.at(-1) !== 0) {
    const ended = await run('apply', '--yes');
    codes.push(ended.code);
    expect([0, 7], ended.stderr).toContain(ended.code);
  }
  return codes;
}

/** A release on a platform that starts with a file of faults; gives what was decided, and keeps the log. */
async function release(faults: readonly string[], keep: string): Promise<readonly Decision[]> {
  return inFolder(async (folder) => {
    await writeFiles(folder, FILES);
    const run = (...args: readonly string[]) => windlass(args, { cwd: folder, env: { WINDLASS_TRUTH: '1' } });
    expect(await run('platform', 'start', '--detach', ...faults)).toMatchObject({ code: 0 });
    try {
      expect((await applyAll(run)).at(-1)).toBe(0);
      expect(await liveEffects(folder)).toEqual(ONCE);
      expect(await run('platform', 'fault', 'clear')).toMatchObject({ code: 0 });
      expect(await run('verify')).toMatchObject({ code: 0 });
    } finally {
      expect((await run('platform', 'stop')).code).toBe(0);
    }
    const log = join(folder, '.windlass', 'platform', 'faults.jsonl');
    await cp(log, keep);
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Decision);
  });
}

const keyOf = ({ stream, nth }: Decision): string => `${stream} ${String(nth)}`;

describe('an apply on a rough day', () => {
  it(
    'meets each kind of fault and has one effect per step; the log makes the same decisions again',
    async () => {
      await inFolder(async (kept) => {
        const first = await release(['--faults', ROUGH_DAY], join(kept, 'first.jsonl'));
        const met = new Set(first.flatMap(({ fault }) => (fault === null ? [] : Object.keys(fault))));
        expect([...met].sort()).toEqual(KINDS);

        const again = await release(['--faults', join(kept, 'first.jsonl')], join(kept, 'again.jsonl'));
        const decided = new Map(first.map((one) => [keyOf(one), one]));
        for (const one of again)
          expect([one.rule, one.fault]).toEqual(Object.values(pick(decided.get(keyOf(one)))));
        const writes = (all: readonly Decision[]) =>
          all
            .filter(({ stream, fault }) => fault !== null && /create|mint|callback/.test(stream))
            .map(keyOf)
            .sort();
        expect(writes(again)).toEqual(writes(first));
      });
    },
    2 * STORY,
  );
});

function pick(one: Decision | undefined): Pick<Decision, 'rule' | 'fault'> {
  return { rule: one?.rule ?? '', fault: one?.fault ?? null };
}

describe('credentials that are revoked while a run goes on', () => {
  it(
    'end it with 4 and are named, whatever else is left undone; with new ones the next run goes on',
    async () => {
      await tellStory(FILES, {}, async ({ run, apply }) => {
        const added = await run(
          'platform',
          'fault',
          'add',
          '--operation',
          'audit.category.create',
          '--fault',
          'refuse=401',
        );
        expect(added).toMatchObject({ code: 0 });
        const refused = await run('apply', '--yes', '--json');
        expect(refused.code).toBe(4);
        expect(refused.stdout).toContain('"code":"REMOTE_AUTHENTICATION"');
        expect(refused.stdout).not.toContain('"code":"STEP_FAILED"');
        await run('platform', 'fault', 'clear');
        await apply();
        expect(await run('verify')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );
});
