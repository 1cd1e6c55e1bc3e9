import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { REAL_DISK, type Disk } from '../../src/disk/disk.js';
import { readJournal } from '../../src/disk/journal-file.js';
import { isMarkedLockfile } from '../../src/disk/lockfile-mark.js';
import { openRun } from '../../src/disk/run-state.js';
import { openState } from '../../src/disk/state-folder.js';
import { statePaths, type StatePaths, type StatePlace } from '../../src/disk/state-paths.js';
import type { JournalEvent } from '../../src/state/event.js';
import { formatLock } from '../../src/state/lockfile-text.js';
import { adopted, intended, settled } from '../state/journal-events.js';
import { faultyDisk, systemError } from './faulty-disk.js';
import { RELEASE, record, SESSION, step } from './git-runs.js';
import { temporaryFolder } from './temporary-folder.js';

function place(): StatePlace {
  return { root: temporaryFolder(), planFile: 'windlass.yaml', environment: 'test' };
}

/** A whole run; a killed one leaves the lockfile as it was. */
async function release(
  at: StatePlace,
  events: readonly JournalEvent[],
  { killed = false, disk = REAL_DISK }: { readonly killed?: boolean; readonly disk?: Disk } = {},
): Promise<void> {
  const run = await openRun(at, SESSION, disk);
  onTestFinished(() => run.close().catch(() => undefined));
  await record(run, events);
  if (run.lock !== undefined && !killed) await run.writeLockfile(run.lock);
  await run.close();
}

/** A lineage after a run, and its files. */
async function released(events = RELEASE): Promise<StatePlace & StatePaths & { readonly sidecar: string }> {
  const at = place();
  await release(at, events);
  const paths = statePaths(at);
  return { ...at, ...paths, sidecar: join(paths.sidecars, 'class%2F26.ndjson') };
}

/** Whether the mark alone says that the lockfile is ours. */
async function isMarked(at: StatePlace): Promise<boolean> {
  const paths = statePaths(at);
  const read = await readJournal(paths.journal);
  return read !== undefined && isMarkedLockfile(paths, read.mark, REAL_DISK);
}

interface Judgement {
  readonly origin?: string;
  readonly notices?: readonly string[];
  readonly strangers?: readonly string[];
  /** What the journal amounts to, whatever the lockfile says. */
  readonly lock?: string | undefined;
  readonly code?: unknown;
}

async function judgement(at: StatePlace): Promise<Judgement> {
  try {
    const { origin, notices, strangers, lock } = await openState(at);
    return { origin, notices, strangers, lock: lock && formatLock(lock).main };
  } catch (thrown) {
    return { code: (thrown as { readonly code?: unknown }).code };
  }
}

/** What is said of a folder; the same without its mark. */
async function judged(at: StatePlace): Promise<Judgement> {
  const { lockfileMark } = statePaths(at);
  const found = await judgement(at);
  const kept = `${lockfileMark}.kept`;
  renameSync(lockfileMark, kept);
  expect(await judgement(at)).toEqual(found);
  renameSync(kept, lockfileMark);
  return found;
}

const OWN = { origin: 'journal', notices: [], strangers: [] };
const FOREIGN = { origin: 'journal', notices: [expect.any(String)] };

describe('a lockfile that its run marked', () => {
  it('is known for ours without being read as JSON, by a mark that only its owner reads', async () => {
    const at = await released();
    expect(await isMarked(at)).toBe(true);
    expect(await judged(at)).toMatchObject(OWN);
    expect(statSync(at.lockfileMark).mode & 0o777).toBe(0o600);
    const { disk, readWhole } = watchedDisk();
    expect(await openState(at, disk)).toMatchObject(OWN);
    expect(readWhole).toEqual([at.lockfileMark]);
  });

  it('stays known when later runs were killed before they wrote it', async () => {
    const at = await released();
    await release(at, [step(1), step(2)], { killed: true });
    expect(await isMarked(at)).toBe(true);
    expect(await judged(at)).toMatchObject(OWN);
    await release(at, []);
    expect(await isMarked(at)).toBe(true);
  });

  it('is known after a torn end was left and cut', async () => {
    const at = await released();
    writeFileSync(at.journal, `${readFileSync(at.journal, 'utf8')}{"h":"12`);
    expect(await isMarked(at)).toBe(true);
    await release(at, [step(1)], { killed: true });
    expect(await isMarked(at)).toBe(true);
  });

  it('is known however long the last record is, and when there is only one', async () => {
    for (const events of [[], [adopted('tag.long', { note: 'x'.repeat(600_000) })]]) {
      const at = await released(events);
      expect(await isMarked(at)).toBe(true);
      expect(await judged(at)).toMatchObject(OWN);
    }
  });

  it('is known without its mark, too, by what the journal amounts to, and is not read as JSON then either', async () => {
    const at = await released([...RELEASE, adopted('tag.long', { note: 'ä'.repeat(600_000) })]);
    rmSync(at.lockfileMark);
    const { disk, readWhole } = watchedDisk();
    expect(await openState(at, disk)).toMatchObject(OWN);
    expect(readWhole).toEqual([]);
    writeFileSync(at.sidecar, `${readFileSync(at.sidecar, 'utf8')}\n`);
    expect((await openState(at, disk)).notices).toHaveLength(1);
    expect(readWhole).toContain(at.lockfile);
  });

  it('is marked again by a run that changes nothing, where the mark was deleted', async () => {
    const at = await released();
    rmSync(at.lockfileMark);
    expect(await judgement(at)).toMatchObject(OWN);
    await release(at, []);
    expect(await isMarked(at)).toBe(true);
  });
});

describe('a lockfile that the mark does not stand for', () => {
  it('is compared when a power cut left it old and the mark new, or the other way round', async () => {
    const at = await released();
    const old = { lockfile: readFileSync(at.lockfile), mark: readFileSync(at.lockfileMark) };
    await release(at, [step(1)]);
    const young = { lockfile: readFileSync(at.lockfile), mark: readFileSync(at.lockfileMark) };
    for (const [lockfile, mark] of [
      [old.lockfile, young.mark],
      [young.lockfile, old.mark],
    ] as const) {
      writeFileSync(at.lockfile, lockfile);
      writeFileSync(at.lockfileMark, mark);
      expect(await isMarked(at)).toBe(false);
      expect(await judged(at)).toMatchObject(OWN);
    }
  });

  it('is compared when it is an older one of the same lineage, as after a checkout, or has other line ends', async () => {
    const at = await released();
    const old = readFileSync(at.lockfile);
    await release(at, [
      { type: 'resource-forgotten', at: '2026-03-01T09:00:00.000Z', id: 'contract.core.Token' },
    ]);
    const young = readFileSync(at.lockfile, 'utf8');
    for (const text of [old, young.replaceAll('\n', '\r\n')]) {
      writeFileSync(at.lockfile, text);
      expect(await isMarked(at)).toBe(false);
      expect(await judged(at)).toMatchObject(OWN);
    }
  });

  it('is told when it was edited by hand, at any byte, its length unchanged', async () => {
    const at = await released();
    const text = readFileSync(at.lockfile, 'utf8');
    for (const [edited, expected] of [
      [text.replaceAll('0xA', '0xE'), FOREIGN],
      [text.replace('"transaction": "0x1"', '"transaction": "0x2"'), FOREIGN],
      [`${text.slice(0, -1)} `, FOREIGN],
      [text.replace('0xA', '0xE'), { code: 'LOCK_UNREADABLE' }],
      [`<<<<<<< HEAD\n${text}`, { code: 'LOCK_UNREADABLE' }],
      ['', { code: 'LOCK_UNREADABLE' }],
    ] as const) {
      writeFileSync(at.lockfile, edited);
      expect(await isMarked(at)).toBe(false);
      expect(await judged(at)).toMatchObject(expected);
    }
  });

  it('is told when one of its sidecars was edited, or is gone', async () => {
    const at = await released();
    const rows = readFileSync(at.sidecar, 'utf8');
    writeFileSync(at.sidecar, rows.replace('"1"', '"2"'));
    expect(await isMarked(at)).toBe(false);
    expect(await judged(at)).toMatchObject(FOREIGN);
    rmSync(at.sidecar);
    expect(await isMarked(at)).toBe(false);
    expect(await judged(at)).toMatchObject(FOREIGN);
  });

  it('is told when it is of another lineage, or of another target, and names what only it holds', async () => {
    const at = await released();
    const other = place();
    const run = await openRun(other, { ...SESSION, lineage: 'lineage-2' });
    await record(run, [adopted('tag.elsewhere', { id: '1' })]);
    if (run.lock !== undefined) await run.writeLockfile(run.lock);
    await run.close();
    writeFileSync(at.lockfile, readFileSync(statePaths(other).lockfile));
    expect(await isMarked(at)).toBe(false);
    expect(await judged(at)).toMatchObject({ ...FOREIGN, strangers: ['tag.elsewhere'] });
    // Even with its own mark beside it: that is of another journal.
    copyFileSync(statePaths(other).lockfileMark, at.lockfileMark);
    expect(await isMarked(at)).toBe(false);
    expect(await judged(at)).toMatchObject({ ...FOREIGN, strangers: ['tag.elsewhere'] });
  });

  it('is told when the journal lost the end from which it was written, also when it went on differently', async () => {
    const at = await released();
    const { size } = statSync(at.journal);
    await release(at, [step(1), step(2)]);
    truncateSync(at.journal, size);
    expect(await isMarked(at)).toBe(false);
    expect(await judged(at)).toMatchObject({ ...FOREIGN, strangers: ['tag.t1', 'tag.t2'] });
    await release(at, [step(3), step(4), step(5)], { killed: true });
    expect(await isMarked(at)).toBe(false);
    expect(await judged(at)).toMatchObject({ ...FOREIGN, strangers: ['tag.t1', 'tag.t2'] });
  });

  it('is refused as a link, with a mark as without', async () => {
    const at = await released();
    const real = join(at.root, 'real.json');
    renameSync(at.lockfile, real);
    symlinkSync(real, at.lockfile);
    expect(await judged(at)).toEqual({ code: 'STATE_UNSAFE' });
  });
});

describe('a mark', () => {
  it('that is damaged, of another version, a link, or open to others counts as none, and is replaced', async () => {
    const at = await released();
    const mark = readFileSync(at.lockfileMark, 'utf8');
    const damaged = ['', '{', 'null', '[]', '{"version":1}', mark.replace('"version": 1', '"version": 2')];
    const lying = [
      mark.replace(/"start": \d+/, '"start": 1e9'),
      mark.replace(/"start": \d+/, '"start": -1'),
      mark.replace(/"start": \d+/, '"start": 3'),
      mark.replace(/"hash": "./, '"hash": "x'),
      mark.replace(/"main": "[^"]*"/, '"main": null'),
    ];
    for (const text of [...damaged, ...lying]) {
      writeFileSync(at.lockfileMark, text);
      expect(await isMarked(at)).toBe(false);
      expect(await judged(at)).toMatchObject(OWN);
    }
    writeFileSync(at.lockfileMark, mark);
    chmodSync(at.lockfileMark, 0o644);
    expect(await isMarked(at)).toBe(false);
    rmSync(at.lockfileMark);
    const elsewhere = join(at.root, 'mark.json');
    writeFileSync(elsewhere, mark, { mode: 0o600 });
    symlinkSync(elsewhere, at.lockfileMark);
    expect(await isMarked(at)).toBe(false);
    expect(await judged(at)).toMatchObject(OWN);
    rmSync(at.lockfileMark);
    await release(at, []);
    expect(readFileSync(at.lockfileMark, 'utf8')).toBe(mark);
  });

  it('without a journal says nothing: a lineage begins from the lockfile as before', async () => {
    const at = await released();
    rmSync(at.journal);
    expect(await judged(at)).toMatchObject({ origin: 'lockfile', strangers: [] });
  });

  it('that cannot be written keeps no run from ending well', async () => {
    const at = await released();
    const mark = readFileSync(at.lockfileMark);
    rmSync(at.lockfileMark);
    mkdirSync(at.lockfileMark);
    await release(at, [step(1)]);
    expect(await judgement(at)).toMatchObject(OWN);
    rmSync(at.lockfileMark, { recursive: true });
    writeFileSync(at.lockfileMark, mark, { mode: 0o600 });
    expect(await isMarked(at)).toBe(false);
    expect(await judged(at)).toMatchObject(OWN);
  });

  it('is not made of a lockfile that a failing journal left', async () => {
    const at = place();
    let failing = false;
    const disk = faultyDisk({
      datasync: () => {
        if (failing) throw systemError('EIO');
      },
    });
    const run = await openRun(at, SESSION, disk);
    await record(run, RELEASE);
    failing = true;
    await expect(record(run, [step(1)])).rejects.toMatchObject({ code: 'JOURNAL_WRITE' });
    if (run.lock !== undefined) await run.writeLockfile(run.lock);
    await run.close();
    const { lockfile, lockfileMark } = statePaths(at);
    expect(existsSync(lockfile)).toBe(true);
    expect(existsSync(lockfileMark)).toBe(false);
  });

  it('stands only for what the journal made durable: events that it never kept make none', async () => {
    const at = place();
    let failing = false;
    const disk = faultyDisk({
      datasync: () => {
        if (failing) throw systemError('EIO');
      },
    });
    const run = await openRun(at, SESSION, disk);
    await record(run, [intended('deployment.core#1', { 'contract.core.Token': { cap: '1' } })]);
    failing = true;
    const made = settled('deployment.core#1', { 'contract.core.Token': { address: '0xA' } });
    const appended = run.journal.append([made]).catch((thrown: unknown) => thrown);
    run.state.apply(made);
    if (run.lock !== undefined) await run.writeLockfile(run.lock);
    expect(await appended).toMatchObject({ code: 'JOURNAL_WRITE' });
    await run.close();
    expect(existsSync(statePaths(at).lockfileMark)).toBe(false);
  });
});

/** The real disk, and which files were read in one go. */
function watchedDisk(): { readonly disk: Disk; readonly readWhole: readonly string[] } {
  const readWhole: string[] = [];
  const open: Disk['open'] = async (path, flags, mode) => {
    const file = await REAL_DISK.open(path, flags, mode);
    return {
      write: (bytes) => file.write(bytes),
      readFile: async () => {
        readWhole.push(path);
        return file.readFile();
      },
      read: (target, offset, length, position) => file.read(target, offset, length, position),
      truncate: (length) => file.truncate(length),
      datasync: () => file.datasync(),
      sync: () => file.sync(),
      stat: () => file.stat(),
      close: () => file.close(),
    };
  };
  return { disk: { ...REAL_DISK, open }, readWhole };
}
