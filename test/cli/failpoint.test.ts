import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFailpoints } from '../../src/cli/failpoint.js';
import { REAL_DISK } from '../../src/disk/disk.js';
import type { Ports } from '../../src/execute/ports.js';
import { inFolder, windlass, windlassProcess } from './command.js';

const LONG = 120_000;

test.each([
  'journal.append',
  'journal.append:0=exit',
  'nowhere=exit',
  'request.sent=enospc',
  'journal.append=boom',
])('%s is no failpoint', (text) => {
  expect(() => openFailpoints(text)).toThrow(expect.objectContaining({ code: 'CLI_USAGE' }));
});

test('a failpoint that nothing reaches changes nothing', async () => {
  const points = openFailpoints('lockfile.write:9=exit');
  const ports = points.ports({
    service: { write: async () => ({ outcome: 'accepted' }), read: async () => ({ type: 'absent' }) },
    inbox: { open: async () => ({ url: undefined, token: 'sha256:0' }), receive: () => undefined },
  } as unknown as Ports);
  expect(await ports.service.write({} as never, undefined)).toEqual({ outcome: 'accepted' });
  expect(await points.disk(REAL_DISK).readdir(import.meta.dirname)).toContain('failpoint.test.ts');
});

test.each(['journal.append:2=sigkill', 'callback.recorded=sigkill', 'journal.synced:4=exit'])(
  'a release that dies at %s is done by the next run',
  async (failpoint) => {
    await inFolder(async (cwd) => {
      expect((await windlass(['init', '--template', 'minimal'], { cwd })).code).toBe(0);
      const env = { WINDLASS_FAILPOINT: failpoint };
      expect((await windlassProcess(['apply', '--yes'], { cwd, env })).code).toBe(
        failpoint.endsWith('exit') ? 1 : null,
      );
      expect((await windlass(['apply', '--yes'], { cwd })).code).toBe(0);
      expect((await windlass(['verify'], { cwd })).code).toBe(0);
    });
  },
  LONG,
);

test(
  'a full disk stops the run, says so, and loses nothing',
  async () => {
    await inFolder(async (cwd) => {
      expect((await windlass(['init', '--template', 'minimal'], { cwd })).code).toBe(0);
      const env = { WINDLASS_FAILPOINT: 'journal.append:4=enospc' };
      const full = await windlassProcess(['apply', '--yes'], { cwd, env });
      expect(full.code).not.toBe(0);
      expect(full.stderr).toContain('JOURNAL_WRITE');
      expect((await windlass(['apply', '--yes'], { cwd })).code).toBe(0);
    });
  },
  LONG,
);

test(
  'a wallet whose name is edited while its outcome is not known is left to a person, and never made twice',
  async () => {
    await inFolder(async (cwd) => {
      await writePlan(cwd, 'Alice Sample');
      const env = { WINDLASS_FAILPOINT: 'request.answered=sigkill' };
      expect((await windlassProcess(['apply', '--yes'], { cwd, env })).code).toBeNull();
      await writePlan(cwd, 'Alicia Sample');
      const edited = await windlass(['apply', '--yes'], { cwd });
      // Nothing of the name that was sent is kept, so that what is new on the platform may be this wallet.
      expect(edited.code).toBe(8);
      expect(edited.stderr).toContain('wallet.alice');
      await writePlan(cwd, 'Alice Sample');
      expect((await windlass(['apply', '--yes'], { cwd })).code).toBe(0);
    });
  },
  LONG,
);

async function writePlan(cwd: string, name: string): Promise<void> {
  const create = JSON.stringify({ name, email: 'alice@example.com', ic: '000000-00-0000' });
  await writeFile(
    join(cwd, 'windlass.yaml'),
    `windlass: 1\nname: edited\nwallets:\n  alice: { create: ${create} }\n`,
  );
}

test(
  'a plan that is edited while an outcome is not known says so, and what was sent is no success of the new plan',
  async () => {
    await inFolder(async (cwd) => {
      const plan = (encrypted: boolean): Promise<void> =>
        writeFile(
          join(cwd, 'windlass.yaml'),
          `windlass: 1\nname: edited\naudit:\n  contracts: { releases: { encrypt_data: ${String(encrypted)} } }\n`,
        );
      await plan(false);
      const env = { WINDLASS_FAILPOINT: 'request.answered=sigkill' };
      expect((await windlassProcess(['apply', '--yes'], { cwd, env })).code).toBeNull();
      await plan(true);
      const edited = await windlass(['apply', '--yes'], { cwd });
      expect(edited.code).toBe(7);
      expect(edited.stderr).toContain('STEP_OUTDATED');
      expect(edited.stderr).toContain('audit-contract.releases');
    });
  },
  LONG,
);
