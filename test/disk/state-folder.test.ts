import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAttemptTokens } from '../../src/disk/attempt-tokens.js';
import { decodeJournal } from '../../src/state/codec.js';
import { openRun, type RunState } from '../../src/disk/run-state.js';
import { openState } from '../../src/disk/state-folder.js';
import { statePaths, type StatePlace } from '../../src/disk/state-paths.js';
import type { JournalEvent, Target } from '../../src/state/event.js';
import { adopted, AT, intended, settled, TARGET } from '../state/journal-events.js';
import { temporaryFolder } from './temporary-folder.js';

const SESSION = { run: 'r1', target: TARGET, nowMs: Date.parse(AT), lineage: 'lineage-1' };
const OTHER: Target = { ...TARGET, origin: 'https://other.example.com' };
const TOKEN = 'contract.core.Token';

const RELEASE: readonly JournalEvent[] = [
  intended('deployment.core#1', { [TOKEN]: { cap: '1' } }),
  settled('deployment.core#1', { [TOKEN]: { address: '0xA', transaction: '0x1' } }),
  adopted('certificate.class/26[S-1]', { tokenId: '1' }),
  adopted('certificate.class/26[S-2]', { tokenId: '2' }),
];

function place(root = temporaryFolder(), planFile = 'windlass.yaml'): StatePlace {
  return { root, planFile, environment: 'test' };
}

async function openedRun(at: StatePlace, session = SESSION): Promise<RunState> {
  const run = await openRun(at, session);
  onTestFinished(run.close);
  return run;
}

async function record(run: RunState, events: readonly JournalEvent[]): Promise<void> {
  await run.journal.append(events);
  for (const event of events) run.state.apply(event);
}

/** A whole run: what it recorded is in the journal, and in the lockfile unless it was killed before. */
async function release(at: StatePlace, events = RELEASE, killed = false): Promise<void> {
  const run = await openedRun(at);
  await record(run, events);
  if (run.lock !== undefined && !killed) await run.writeLockfile(run.lock);
  await run.close();
}

/** A clone of the repository: the lockfile without the journal. */
function clone(at: StatePlace): StatePlace {
  const copy = place();
  for (const name of ['windlass.test.lock.json', 'windlass.test.lock/class%2F26.ndjson']) {
    mkdirSync(join(copy.root, 'windlass.test.lock'), { recursive: true });
    writeFileSync(join(copy.root, name), readFileSync(join(at.root, name)));
  }
  return copy;
}

function allFiles(at: StatePlace): Readonly<Record<string, string>> {
  const names = readdirSync(at.root, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(at.root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(at.root, name), 'utf8')]));
}

describe('the files of a lineage', () => {
  it('are named after the plan and the environment', () => {
    const paths = statePaths({ root: '/r', planFile: 'windlass.yaml', environment: 'test' });
    expect(paths).toMatchObject({
      journal: '/r/.windlass/env/test/journal.jsonl',
      lockfile: '/r/windlass.test.lock.json',
      sidecars: '/r/windlass.test.lock',
    });
    expect(statePaths({ root: '/r', planFile: 'release.yml', environment: 'test' }).lockfile).toBe(
      '/r/release.test.lock.json',
    );
  });

  it('never mix with those of another plan in the same folder', async () => {
    const first = place();
    await release(first);
    expect((await openState(place(first.root, 'release.yaml'))).origin).toBe('fresh');
  });

  it.each(['../../etc', 'a/b', '..', ''])(
    'cannot leave the folder by an environment named %j',
    (environment) => {
      expect(() => statePaths({ root: '/r', planFile: 'windlass.yaml', environment })).toThrow(
        expect.objectContaining({ code: 'STATE_UNSAFE' }),
      );
    },
  );
});

describe('reading the state', () => {
  it('finds nothing in a new folder, and writes nothing', async () => {
    const at = place();
    const state = await openState(at);
    expect(state).toMatchObject({ origin: 'fresh', lock: undefined, notices: [], strangers: [] });
    expect(() => state.checkTarget(OTHER)).not.toThrow();
    expect(readdirSync(at.root)).toEqual([]);
  });

  it('gives what the journal amounts to, without a word and without a write, while a run is on', async () => {
    const at = place();
    await release(at);
    const run = await openedRun(at);
    const before = allFiles(at);
    const state = await openState(at);
    expect(state).toMatchObject({ origin: 'journal', notices: [], strangers: [] });
    expect(state.lock?.entries.get(TOKEN)?.outputs.address).toBe('0xA');
    expect(state.state.lastAttempt(TOKEN)?.settled?.state).toBe('confirmed');
    expect(allFiles(at)).toEqual(before);
    await run.close();
  });

  it('says nothing of a lockfile that a crash kept from being rewritten', async () => {
    const at = place();
    await release(at);
    await release(at, [adopted('tag.later', { id: '1' })], true);
    expect(await openState(at)).toMatchObject({ origin: 'journal', notices: [], strangers: [] });
    rmSync(statePaths(at).lockfile);
    expect((await openState(at)).notices).toEqual([]);
  });

  it('says so when the lockfile was edited or comes from elsewhere, and names what only it holds', async () => {
    const at = place();
    await release(at);
    const elsewhere = clone(at);
    await release(elsewhere, [adopted('tag.elsewhere', { id: '1' })]);
    writeFileSync(statePaths(at).lockfile, readFileSync(statePaths(elsewhere).lockfile));
    const state = await openState(at);
    expect(state.notices).toHaveLength(1);
    expect(state.strangers).toEqual(['tag.elsewhere']);
    expect(state.lock?.entries.has('tag.elsewhere')).toBe(false);
  });

  it('refuses a lock of another platform, naming both, but not for a chain that one side does not know', async () => {
    const at = place();
    await release(at);
    const { checkTarget } = await openState(at);
    expect(() => checkTarget({ ...TARGET, chain: '31337:0xabc' })).not.toThrow();
    expect(() => checkTarget(OTHER)).toThrow(expect.objectContaining({ code: 'LOCK_OTHER_TARGET' }));
    expect(() => checkTarget(OTHER)).toThrow(/service\.example\.com.*other\.example\.com/);
  });

  it('takes another key of one service only when it was proven for this very lineage', async () => {
    const at = place();
    await release(at);
    const { checkTarget, lock } = await openState(at);
    const other = { ...TARGET, client: 'sha256:other' } as const;
    const unproven = expect.objectContaining({ code: 'LOCK_KEY_UNPROVEN' }) as Error;
    expect(() => checkTarget(other)).toThrow(unproven);
    expect(() => checkTarget(other, 'another lineage')).toThrow(unproven);
    expect(() => checkTarget(other, lock?.lineage)).not.toThrow();
    expect(() => checkTarget(OTHER, lock?.lineage)).toThrow(
      expect.objectContaining({ code: 'LOCK_OTHER_TARGET' }),
    );
  });
});

describe('a run', () => {
  it('writes a lockfile that a clone goes on from, saying so, and ends with the same bytes', async () => {
    const at = place();
    await release(at);
    const copy = clone(at);
    const read = await openState(copy);
    expect(read).toMatchObject({ origin: 'lockfile', notices: [expect.stringContaining('3 resources')] });
    expect(existsSync(join(copy.root, '.windlass'))).toBe(false);

    const run = await openedRun(copy, { ...SESSION, run: 'r2', lineage: 'never used' });
    expect(run.notices).toEqual(read.notices);
    expect(run.lock).toEqual((await openState(at)).lock);
    expect(run.state.nextStep('deployment.core')).toBe('deployment.core#2');
    if (run.lock !== undefined) await run.writeLockfile(run.lock);
    await run.close();
    expect(readFileSync(statePaths(copy).lockfile)).toEqual(readFileSync(statePaths(at).lockfile));
    expect(decodeJournal(readFileSync(statePaths(copy).journal)).events[0]).toMatchObject({
      lineage: 'lineage-1',
      serial: 3,
    });
    expect(await openState(copy)).toMatchObject({ origin: 'journal', notices: [] });
  });

  it('holds the run lock until it closes', async () => {
    const at = place();
    const run = await openedRun(at);
    await expect(openRun(at, { ...SESSION, run: 'r2' })).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await run.close();
    const second = await openedRun(at, { ...SESSION, run: 'r2' });
    expect(second.tookOver).toBeUndefined();
  });

  it('starts nothing, and frees its lock, when the lock belongs to another platform', async () => {
    const at = place();
    await release(at);
    const copy = clone(at);
    for (const where of [at, copy]) {
      const { journal } = statePaths(where);
      const before = existsSync(journal) && readFileSync(journal);
      await expect(openRun(where, { ...SESSION, target: OTHER })).rejects.toMatchObject({
        code: 'LOCK_OTHER_TARGET',
      });
      expect(existsSync(journal) && readFileSync(journal)).toEqual(before);
      await (await openedRun(where)).close();
    }
  });

  it('begins a lineage once, for its target', async () => {
    const at = place();
    await (await openedRun(at)).close();
    const run = await openedRun(at, { ...SESSION, lineage: 'another' });
    expect(run.lock).toMatchObject({ lineage: 'lineage-1', target: TARGET, serial: 0 });
  });

  it('begins again after a crash tore the very first record, and keeps the lockfile it imports', async () => {
    const at = place();
    await release(at);
    const copy = clone(at);
    const { folder, journal } = statePaths(copy);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(journal, '{"h":"12', { mode: 0o600 });
    const run = await openedRun(copy);
    expect(run).toMatchObject({ origin: 'lockfile' });
    expect(run.lock?.entries.size).toBe(3);
  });

  it('is refused when the journal was emptied although steps were sent from it', async () => {
    for (const emptied of [Buffer.alloc(0), Buffer.alloc(5000), Buffer.from('{"h":"12')]) {
      const at = place();
      await release(at);
      const { journal, tokens } = statePaths(at);
      const issued = await openAttemptTokens(tokens);
      await issued.issue('tag.v1#1');
      await issued.close();
      writeFileSync(journal, emptied);
      await expect(openedRun(at)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
      await expect(openState(at)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
      expect(readFileSync(journal).equals(emptied)).toBe(true);
    }
  });

  it('cuts the torn end that a crash left', async () => {
    const at = place();
    await release(at);
    const { journal } = statePaths(at);
    writeFileSync(journal, `${readFileSync(journal, 'utf8')}{"h":"12`);
    const run = await openedRun(at);
    expect(run.cutBytes).toBe(8);
    expect(run.lock?.serial).toBe(3);
  });
});

describe('the lockfile on disk', () => {
  it('may be read by others, unlike the state', async () => {
    const at = place();
    await release(at);
    const { lockfile, folder, journal } = statePaths(at);
    expect([lockfile, folder, journal].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o644, 0o700, 0o600,
    ]);
  });

  it('loses the sidecars of batches that are gone, and what crashes left', async () => {
    const at = place();
    await release(at);
    const { sidecars } = statePaths(at);
    writeFileSync(join(sidecars, '.class%2F26.ndjson.0123.tmp'), 'torn');
    writeFileSync(join(at.root, '.windlass.test.lock.json.0123.tmp'), 'torn');
    writeFileSync(join(sidecars, 'notes.txt'), 'mine');
    const forgotten = ['S-1', 'S-2'].map((key): JournalEvent => ({
      type: 'resource-forgotten',
      at: AT,
      id: `certificate.class/26[${key}]`,
    }));
    await release(at, forgotten);
    expect(readdirSync(sidecars)).toEqual(['notes.txt']);
    expect(readdirSync(at.root).sort()).toEqual([
      '.windlass',
      'windlass.test.lock',
      'windlass.test.lock.json',
    ]);
    expect((await openState(at)).notices).toEqual([]);
  });

  it('with a truncated or missing sidecar is refused without a journal, and repaired with one', async () => {
    const at = place();
    await release(at);
    const copy = clone(at);
    for (const where of [at, copy]) {
      const sidecar = join(statePaths(where).sidecars, 'class%2F26.ndjson');
      writeFileSync(sidecar, readFileSync(sidecar).subarray(0, -30));
    }
    await expect(openState(copy)).rejects.toMatchObject({ code: 'LOCK_UNREADABLE' });
    await expect(openRun(copy, SESSION)).rejects.toMatchObject({ code: 'LOCK_UNREADABLE' });
    rmSync(statePaths(copy).sidecars, { recursive: true });
    await expect(openState(copy)).rejects.toMatchObject({ code: 'LOCK_UNREADABLE' });

    expect((await openState(at)).notices).toHaveLength(1);
    await release(at, []);
    expect((await openState(at)).notices).toEqual([]);
  });

  it('with new sidecars and an old main file, as a crash leaves it, is no reason to stop', async () => {
    const at = place();
    await release(at);
    const old = readFileSync(statePaths(at).lockfile);
    await release(at, [adopted('certificate.class/26[S-3]', { tokenId: '3' })]);
    writeFileSync(statePaths(at).lockfile, old);
    expect(await openState(at)).toMatchObject({ notices: [], strangers: [] });
  });

  it('edited by hand is refused without a journal, and so is an unfinished merge even with one', async () => {
    const at = place();
    await release(at);
    const copy = clone(at);
    const text = readFileSync(statePaths(at).lockfile, 'utf8');
    writeFileSync(statePaths(copy).lockfile, text.replace('0xA', '0xEVIL'));
    await expect(openState(copy)).rejects.toMatchObject({ code: 'LOCK_UNREADABLE' });
    writeFileSync(statePaths(at).lockfile, `<<<<<<< HEAD\n${text}`);
    await expect(openState(at)).rejects.toMatchObject({ code: 'LOCK_UNREADABLE' });
  });

  it('is refused as a link, for reading and for writing, and so is a link for its sidecars', async () => {
    const at = place();
    await release(at);
    const { lockfile, sidecars } = statePaths(at);
    const real = join(at.root, 'real.json');
    writeFileSync(real, readFileSync(lockfile));
    rmSync(lockfile);
    symlinkSync(real, lockfile);
    await expect(openState(at)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
    rmSync(lockfile);
    rmSync(sidecars, { recursive: true });
    symlinkSync(at.root, sidecars);
    const run = await openedRun(at);
    await expect(run.writeLockfile(run.lock!)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
    expect(existsSync(lockfile)).toBe(false);
  });

  it('stays as it was when nothing changed', async () => {
    const at = place();
    await release(at);
    const { lockfile } = statePaths(at);
    const before = statSync(lockfile).ino;
    await release(at, []);
    expect(statSync(lockfile).ino).toBe(before);
  });
});

describe('state that others could read', () => {
  it('is refused, naming the command that mends it', async () => {
    const at = place();
    await release(at);
    const { journal, folder } = statePaths(at);
    chmodSync(journal, 0o644);
    await expect(openState(at)).rejects.toMatchObject({
      code: 'STATE_UNSAFE',
      advice: `Run: chmod 600 ${journal}`,
    });
    chmodSync(journal, 0o600);
    chmodSync(folder, 0o750);
    await expect(openRun(at, SESSION)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
  });
});
