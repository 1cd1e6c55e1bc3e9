import { cp, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { windlass } from '../cli/command.js';
import {
  AGAIN_MS,
  HELD_MS,
  LATE_MS,
  effectsAt,
  once,
  throughFaults,
  type Decide,
} from '../support/fault-proxy.js';
import { png, STORY, tellStory, type Files } from '../support/story.js';

const OFFICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

const FILES: Files = {
  'windlass.yaml': `windlass: 1
name: faults
environments: { local: { callbacks: off } }
wallets: { office: { address: '${OFFICE}' } }
audit:
  contracts: { log: {} }
  tags: [v1]
  records: { shipped: { contract: log, signer: office, tags: [v1], metadata: { release: 1.0.0 } } }
certificates:
  contracts: { diplomas: { deployer: office, owner: office, name: Diploma, symbol: DIP, max_supply: 0 } }
  batches:
    class: { contract: diplomas, rows: rows.csv, key: id, to: "{{to}}", name: "No {{id}}", description: "-", image: image.png }
  transfers: { onwards: { contract: diplomas, token: "class[a]", from: office, to: '${BOB}' } }
`,
  'rows.csv': `id,to\na,${OFFICE}\nb,${BOB}\n`,
  'image.png': png(1),
};

const ONCE = {
  'audit-contract': 1,
  'audit-record': 1,
  tag: 1,
  'certificate-contract': 1,
  certificate: 2,
  transfer: 1,
};

/** Several faults on one way. */
function all(...decisions: readonly Decide[]): Decide {
  return (method, path) => {
    const faults = decisions.map((decide) => decide(method, path));
    return faults.find((fault) => fault !== undefined);
  };
}

describe('a network that fails', () => {
  it(
    'leaves each step with one effect, found by reads, whether requests or answers are cut',
    async () => {
      await tellStory(FILES, {}, async ({ folder, truthUrl, run }) => {
        const faults = all(
          once('cut-after', 'POST', /audit\/audit$/),
          once('half', 'POST', /mint-certificate/),
          once('gateway', 'POST', /mint-certificate/, 2),
          once('limited', 'POST', /audit\/tag/),
          once('cut-before', 'GET', /get-certificate/),
        );
        const applied = await throughFaults(folder, faults, () => run('apply', '--yes'));
        expect(applied).toMatchObject({ code: 0 });
        expect(await effectsAt(truthUrl)).toMatchObject(ONCE);
        expect(await run('verify')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );

  it(
    'and delivers a write that was given up and sent again has no second effect by it',
    async () => {
      await tellStory(FILES, {}, async ({ folder, truthUrl, run }) => {
        const faults = once('held', 'POST', /mint-certificate/);
        await throughFaults(folder, faults, async () => {
          expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
          await new Promise((resolve) => setTimeout(resolve, HELD_MS));
        });
        expect(await effectsAt(truthUrl)).toMatchObject(ONCE);
        expect(await run('verify')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );

  it(
    'that delivers writes twice is told: each second effect by its step, until a person says that it may stay',
    async () => {
      await tellStory(FILES, {}, async ({ folder, truthUrl, run, resources }) => {
        const faults = all(
          once('twice', 'POST', /audit\/audit$/),
          once('twice-last', 'POST', /mint-certificate/),
          once('twice-last', 'POST', /transfer/),
        );
        const applied = await throughFaults(folder, faults, () => run('apply', '--yes'));
        expect(await effectsAt(truthUrl)).toMatchObject({ 'audit-record': 2, certificate: 3, transfer: 1 });
        expect(applied).toMatchObject({ code: 8 });
        expect(applied.stderr).toContain('STEP_DUPLICATE');
        const locked = await resources();
        expect(locked).toHaveProperty(['transfer.onwards']);

        const status = JSON.parse((await run('status', '--format', 'json')).stdout) as {
          readonly doubts: readonly { readonly step: string; readonly state: string }[];
        };
        expect(status.doubts.map(({ step, state }) => `${state} ${step}`).sort()).toEqual([
          'duplicate audit-record.shipped#1',
          'duplicate certificate.class[a]#1',
        ]);
        expect((await run('apply', '--yes')).code).toBe(8);
        const absent = await run(
          'resolve',
          'audit-record.shipped#1',
          '--absent',
          '--statement',
          'no',
          '--confirm',
          'audit-record.shipped#1',
          '--accept-possible-duplicate',
        );
        expect(absent.stderr).toContain('RESOLVE_NOT_OPEN');
        for (const { step } of status.doubts)
          expect(await run('resolve', step, '--keep', '--statement', 'both seen')).toMatchObject({ code: 0 });
        expect((await run('apply', '--yes')).code).toBe(0);
        expect(await run('verify')).toMatchObject({ code: 0 });
        expect(await resources()).toEqual(locked);
      });
    },
    STORY,
  );
});

describe('a network that gives the answer to one request to another', () => {
  const plan = FILES['windlass.yaml']?.toString() ?? '';
  const files = {
    ...FILES,
    'windlass.yaml': plan.replace('callbacks: off', 'callbacks: off, max_in_flight: 4, send_order: any'),
  };

  it.each(['astray', 'astray-instead'] as const)(
    'is not believed, and leaves each step with one effect: %s',
    async (fault) => {
      await tellStory(files, {}, async ({ folder, truthUrl, run }) => {
        const faults = all(
          once('withheld', 'POST', /mint-certificate/, 1),
          once(fault, 'POST', /mint-certificate/, 2),
        );
        const applied = await throughFaults(folder, faults, () => run('apply', '--yes'));
        expect(await effectsAt(truthUrl)).toMatchObject(ONCE);
        expect(applied).toMatchObject({ code: 0 });
        expect(await run('verify')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );
});

describe('a network that takes off the headers that only our own platform knows', () => {
  it(
    'keeps nobody from releasing, and is told; what it holds up is not sent again, by later runs either',
    async () => {
      await tellStory(FILES, {}, async ({ folder, truthUrl, run }) => {
        const held = once('held', 'POST', /mint-certificate/);
        await throughFaults(
          folder,
          held,
          async () => {
            const applied = await run('apply', '--yes');
            expect(applied).toMatchObject({ code: 8 });
            expect(applied.stderr).toContain('takes headers off');
          },
          { strips: true },
        );
        // By now what was held up may have come on a busy machine; either way it is not sent again.
        expect([0, 8]).toContain((await run('apply', '--yes')).code);
        await expect
          .poll(() => effectsAt(truthUrl), { timeout: 2 * HELD_MS })
          .toMatchObject({ certificate: 2 });
        expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
        expect(await effectsAt(truthUrl)).toMatchObject(ONCE);
        expect(await run('verify')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );

  it(
    'makes no refusal count: what it hides is not sent again',
    async () => {
      await tellStory(FILES, {}, async ({ folder, truthUrl, run }) => {
        const limited = once('limited-late', 'POST', /mint-certificate/);
        const work = async (): Promise<void> => {
          expect([0, 8]).toContain((await run('apply', '--yes')).code);
          await new Promise((resolve) => setTimeout(resolve, 2 * LATE_MS));
        };
        await throughFaults(folder, limited, work, { strips: true });
        expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
        expect(await effectsAt(truthUrl)).toMatchObject(ONCE);
      });
    },
    STORY,
  );
});

describe('a request that is delivered once more when its run has ended', () => {
  it.each(['attribute', 'none'])(
    'is told by `verify` and by the next apply, also of a certificate with the marker `%s`',
    async (marker) => {
      const text = FILES['windlass.yaml']?.toString() ?? '';
      const plan = text.replace('key: id,', `key: id, marker: ${marker},`).replace(/ {2}transfers:.*\n/, '');
      await tellStory({ ...FILES, 'windlass.yaml': plan }, {}, async ({ folder, truthUrl, run }) => {
        const applied = await throughFaults(folder, once('again', 'POST', /mint-certificate/, 2), () =>
          run('apply', '--yes'),
        );
        expect(applied).toMatchObject({ code: 0 });
        await expect
          .poll(() => effectsAt(truthUrl), { timeout: 10 * AGAIN_MS })
          .toMatchObject({ certificate: 3 });

        const verified = await run('verify');
        expect(verified).toMatchObject({ code: 8 });
        expect(verified.stdout).toContain('certificate.class[b]#1');
        expect(await run('apply', '--yes')).toMatchObject({ code: 8 });
        const kept = ['resolve', 'certificate.class[b]#1', '--keep', '--statement', 'both seen'];
        expect(await run(...kept)).toMatchObject({ code: 0 });
        expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
        expect(await run('verify')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );
});

describe('a folder of which somebody made a copy', () => {
  it(
    'goes on in one place: the other refuses what the platform shows and its journal never sent',
    async () => {
      await tellStory(FILES, {}, async ({ folder, truthUrl, apply, write }) => {
        await apply();
        const copy = `${folder}-copy`;
        await cp(folder, copy, { recursive: true });
        try {
          const more = { 'rows.csv': `id,to\na,${OFFICE}\nb,${BOB}\nc,${BOB}\n` };
          await write(more);
          await apply();
          await cp(`${folder}/rows.csv`, `${copy}/rows.csv`);
          const refused = await windlass(['apply', '--yes'], { cwd: copy });
          expect(refused).toMatchObject({ code: 5 });
          expect(refused.stderr).toContain('JOURNAL_FORKED');
          expect(await effectsAt(truthUrl)).toMatchObject({ certificate: 3 });
        } finally {
          await rm(copy, { recursive: true, force: true });
        }
      });
    },
    STORY,
  );
});
