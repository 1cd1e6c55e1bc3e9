import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { inFolder, windlass, type Ended } from './command.js';

let folder = '';
let leave: () => void = () => undefined;
let left: Promise<void>;

const run = (...args: readonly string[]): Promise<Ended> => windlass(['platform', ...args], { cwd: folder });

beforeAll(async () => {
  const ready = new Promise<void>((resolve, reject) => {
    left = inFolder(async (made) => {
      folder = made;
      const started = await run('start', '--detach');
      if (started.code !== 0) return reject(new Error(started.stderr));
      const held = new Promise<void>((go) => (leave = go));
      resolve();
      await held;
      await run('stop');
    });
  });
  await ready;
}, 60_000);

afterAll(async () => {
  leave();
  await left;
}, 60_000);

async function json(...args: readonly string[]): Promise<JsonObject> {
  const ended = await run(...args, '--format', 'json');
  expect(ended).toMatchObject({ code: 0 });
  return JSON.parse(ended.stdout) as JsonObject;
}

describe('platform fault', { timeout: 60_000 }, () => {
  it('puts a rule from flags in force, lists it with its counts, tells what was decided, and clears it', async () => {
    const add = [
      '--operation',
      'project.list',
      '--nth',
      '1,3',
      '--name',
      'no-projects',
      '--fault',
      'refuse=404',
    ];
    expect(await run('fault', 'add', ...add, '--seed', '5')).toMatchObject({ code: 0 });
    const { api_url, client_id, client_secret } = JSON.parse(
      await readFile(join(folder, '.windlass', 'platform.json'), 'utf8'),
    ) as Record<string, string>;
    const get = async () =>
      (
        await fetch(`${api_url ?? ''}/api/contract/projects`, {
          headers: { client_id, client_secret } as never,
        })
      ).status;
    expect([await get(), await get(), await get()]).toEqual([404, 200, 404]);
    expect(await json('fault', 'list')).toMatchObject({
      seed: 5,
      rules: [
        {
          name: 'no-projects',
          when: { nth: [1, 3] },
          fault: { refuse: { status: 404 } },
          matched: 3,
          fired: 2,
        },
      ],
    });
    const log = await run('fault', 'log');
    expect(log.stdout.match(/refuse status=404|spared/g)).toEqual([
      'refuse status=404',
      'spared',
      'refuse status=404',
    ]);
    expect((await run('fault', 'clear', 'another')).code).not.toBe(0);
    expect(await run('fault', 'clear', 'no-projects')).toMatchObject({ code: 0 });
    expect(await json('fault', 'list')).toMatchObject({ rules: [] });

    const kept = join('.windlass', 'platform', 'faults.jsonl');
    expect(await run('fault', 'replay', kept)).toMatchObject({ code: 0 });
    expect([await get(), await get(), await get()]).toEqual([404, 200, 404]);
    expect(await run('fault', 'clear')).toMatchObject({ code: 0 });
    expect(await get()).toBe(200);
  });

  it('says every mistake of a file with its place, and takes none of it', async () => {
    const text = `windlass_faults: 1
rules:
  - request: { operation: certificate.mnt }
    fault: cut_repl
  - callback: {}
    when: { chance: 2 }
    fault: lost
`;
    await writeFile(join(folder, 'rules.yaml'), text);
    const refused = await run('fault', 'add', 'rules.yaml');
    expect(refused.code).toBe(3);
    expect(refused.stderr.match(/rules\.yaml:\d+:\d+: error PLATFORM_FAULTS/g)).toEqual([
      'rules.yaml:3:27: error PLATFORM_FAULTS',
      'rules.yaml:4:12: error PLATFORM_FAULTS',
      'rules.yaml:6:21: error PLATFORM_FAULTS',
    ]);
    expect(refused.stderr).toContain('"certificate.mint"');
    expect(refused.stderr).toContain('"cut_reply"');
    expect(await json('fault', 'list')).toMatchObject({ rules: [] });
    expect((await run('start', '--faults', 'rules.yaml')).code).toBe(3);
  });

  it.each([
    ['an alias', 'rules: &a [*a]', 'PLATFORM_FAULTS'],
    ['no YAML', 'rules: [', 'PLATFORM_FAULTS'],
    ['a list', '- 1', 'PLATFORM_FAULTS'],
    ['a log of another make', '{"session":"s","at":"t","stream":"x"}\n', 'PLATFORM_FAULTS'],
    ['nothing', '', 'PLATFORM_FAULTS'],
  ])('refuses %s with its code', async (_what, text, code) => {
    await writeFile(join(folder, 'hostile.yaml'), text);
    const refused = await run('start', '--faults', 'hostile.yaml');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(code);
  });

  it.each([
    [['fault', 'add'], 'CLI_USAGE'],
    [['fault', 'add', '--fault', 'explode'], 'PLATFORM_FAULTS'],
    [['fault', 'add', 'none.yaml'], 'CLI_FILE_MISSING'],
    [['fault', 'add', '--fault', 'refuse', '--organisation', 'A'], 'PLATFORM_FAULTS'],
    [['start', '--fault-seed', '4'], 'CLI_USAGE'],
    [['clock', '--freeze', '--resume'], 'CLI_USAGE'],
    [['clock', '--advance', 'soon'], 'REMOTE_REFUSED'],
    [['clock', '--set', '2020-01-01T00:00:00Z'], 'REMOTE_REFUSED'],
  ])('%j is refused with %s', async (args, code) => {
    const refused = await run(...args);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(code);
  });
});

describe('platform clock', { timeout: 60_000 }, () => {
  it('stands still, goes on by a time or to a time, and runs again, from one command to the next', async () => {
    const time = (clock: JsonObject): number => Date.parse(clock['now'] as string);
    const frozen = await json('clock', '--freeze');
    expect(frozen).toMatchObject({ frozen: true });
    expect(time(await json('clock'))).toBe(time(frozen));
    expect(time(await json('clock', '--advance', '15m')) - time(frozen)).toBe(900_000);
    const next = new Date(time(frozen) + 7_200_000).toISOString();
    expect(time(await json('clock', '--set', next)) - time(frozen)).toBe(7_200_000);
    expect(await json('clock', '--resume')).toMatchObject({ frozen: false });
    expect((await run('clock')).stdout).toMatch(/ahead/);
  });
});
