import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openJournal, readJournal } from '../../src/disk/journal-file.js';
import { decodeJournal, encodeEvents } from '../../src/state/codec.js';
import type { JournalEvent } from '../../src/state/event.js';

import { CHAIN_START } from '../../src/state/record.js';
import { adopted, everyEvent, projectLock } from '../state/journal-events.js';
import { faultyDisk, systemError } from './faulty-disk.js';
import { temporaryFolder } from './temporary-folder.js';

function journalPath(): string {
  return join(temporaryFolder(), 'env', 'test', 'journal.jsonl');
}

/** The events of a file, as the format says and no state of the lineage. */
function eventsIn(path: string): readonly JournalEvent[] {
  return decodeJournal(readFileSync(path)).events;
}

/** A journal file as an earlier run left it. */
function left(bytes: string | Uint8Array): string {
  const path = journalPath();
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(path, bytes, { mode: 0o600 });
  return path;
}

describe('a journal file', () => {
  it('is created private, and holds what was appended when it is opened again', async () => {
    const path = journalPath();
    const first = await openJournal(path);
    expect(first.state?.lock).toBeUndefined();
    expect(readFileSync(path)).toHaveLength(0);
    for (const event of everyEvent()) await first.journal.append([event]);
    await first.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);

    const second = await openJournal(path);
    expect(eventsIn(path)).toEqual(everyEvent());
    expect(second.state?.lock).toEqual(projectLock(everyEvent()));
    await second.journal.append([adopted('tag.more', {})]);
    await second.close();
    expect(eventsIn(path)).toEqual([...everyEvent(), adopted('tag.more', {})]);
  });

  it('keeps 10,000 concurrent appends in the order of the calls, with far fewer syncs', async () => {
    const path = journalPath();
    let syncs = 0;
    const { journal, close } = await openJournal(path, faultyDisk({ datasync: () => (syncs += 1) }));
    const events = Array.from({ length: 10_000 }, (_, index) => adopted(`tag.${index}`, {}));
    const finished: number[] = [];
    await Promise.all(events.map((event, index) => journal.append([event]).then(() => finished.push(index))));
    await close();
    expect(eventsIn(path)).toEqual(events);
    expect(finished).toEqual(events.map((_, index) => index));
    expect(syncs).toBeLessThan(100);
  });

  it('puts appends that come during a sync into the next one', async () => {
    const path = journalPath();
    const { journal, close } = await openJournal(path);
    const appends: Promise<void>[] = [];
    for (let index = 0; index < 200; index += 1) {
      appends.push(journal.append([adopted(`tag.${index}`, {})]));
      if (index % 7 === 0) await new Promise(setImmediate);
    }
    await Promise.all(appends);
    await close();
    expect(eventsIn(path).map((event) => 'id' in event && event.id)).toEqual(
      appends.map((_, index) => `tag.${index}`),
    );
  });

  it('loses its torn end, wherever it tore, before anything is appended', async () => {
    const whole = Buffer.from(encodeEvents(CHAIN_START, everyEvent().slice(0, 3)).text);
    const lastRecord = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    for (let cut = lastRecord; cut < whole.length; cut += 5) {
      const path = left(whole.subarray(0, cut));
      expect((await readJournal(path))?.state.lock).toEqual(projectLock(everyEvent().slice(0, 2)));
      const { state, cutBytes, journal, close } = await openJournal(path);
      expect(state?.lock).toEqual(projectLock(everyEvent().slice(0, 2)));
      expect(eventsIn(path)).toEqual(everyEvent().slice(0, 2));
      expect(cutBytes).toBe(cut - lastRecord);
      await journal.append([adopted('tag.next', {})]);
      await close();
      expect(decodeJournal(readFileSync(path)).events.at(-1)).toEqual(adopted('tag.next', {}));
    }
  });

  it('is left untouched when it is damaged', async () => {
    const bytes = Buffer.from(encodeEvents(CHAIN_START, everyEvent()).text);
    bytes[50] = 0x00;
    const path = left(bytes);
    await expect(openJournal(path)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await expect(readJournal(path)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('loses the zeros that a power cut leaves behind its last record', async () => {
    const whole = Buffer.from(encodeEvents(CHAIN_START, everyEvent()).text);
    const half = whole.subarray(0, whole.length - 20);
    for (const [bytes, kept] of [
      [whole, everyEvent()],
      [half, everyEvent().slice(0, -1)],
    ] as const) {
      const path = left(Buffer.concat([bytes, Buffer.alloc(4096)]));
      expect(eventsIn(path)).toEqual(kept);
      expect((await readJournal(path))?.state.lock).toEqual(projectLock(kept));
    }
  });

  it('is nothing, and stays nothing, when only read', async () => {
    const path = journalPath();
    expect(await readJournal(path)).toBeUndefined();
    expect(() => statSync(path)).toThrow('ENOENT');
  });
});

describe('a journal that was just read', () => {
  it('is not decoded again, and goes on from where it ended', async () => {
    const path = journalPath();
    const first = await openJournal(path);
    await first.journal.append(everyEvent());
    await first.close();
    const mark = (await readJournal(path))!.mark;
    const second = await openJournal(path, undefined, mark);
    expect(second.state).toBeUndefined();
    await second.journal.append([adopted('tag.more', {})]);
    await second.close();
    expect(eventsIn(path)).toEqual([...everyEvent(), adopted('tag.more', {})]);
    const third = await openJournal(path, undefined, mark);
    expect(third.state?.lock?.entries.has('tag.more')).toBe(true);
    await third.close();
  });
});

describe('a journal on a failing disk', () => {
  it.each([
    ['a full disk', 'ENOSPC', 'write'],
    ['a failing sync', 'EIO', 'datasync'],
  ] as const)('takes nothing more after %s', async (_, code, call) => {
    const path = journalPath();
    let failing = false;
    let attempts = 0;
    const fail = (): never => {
      attempts += 1;
      throw systemError(code);
    };
    const faults = {
      write: (sizeBytes: number) => (failing && call === 'write' ? fail() : sizeBytes),
      datasync: () => (failing && call === 'datasync' ? fail() : undefined),
    };
    const { journal, soundState, close } = await openJournal(path, faultyDisk(faults));
    const [before, during, after, ...late] = [...everyEvent()];
    await journal.append([before!]);
    expect(await soundState()).toBeUndefined();
    failing = true;
    const pending = [journal.append([during!]), journal.append([after!])];
    for (const append of pending) await expect(append).rejects.toMatchObject({ code: 'JOURNAL_WRITE' });
    failing = false;
    await expect(journal.append(late)).rejects.toMatchObject({ code: 'JOURNAL_WRITE' });
    expect((await soundState())?.lock).toEqual(projectLock([before!]));
    await close();
    expect(attempts).toBe(1);
    expect(eventsIn(path)[0]).toEqual(before);
    expect(readFileSync(path, 'utf8')).not.toContain('run-ended');
  });

  it('keeps what was durable when the disk fills up in the middle of a record', async () => {
    const path = journalPath();
    let room = 1000;
    const take = (sizeBytes: number): number => {
      if (room === 0) throw systemError('ENOSPC');
      const taken = Math.min(room, sizeBytes, 300);
      room -= taken;
      return taken;
    };
    const { journal, close } = await openJournal(path, faultyDisk({ write: take }));
    let durable = 0;
    for (const event of everyEvent()) {
      const stored = await journal.append([event]).then(
        () => true,
        () => false,
      );
      if (!stored) break;
      durable += 1;
    }
    await close();
    expect(durable).toBeGreaterThan(0);
    expect(durable).toBeLessThan(everyEvent().length);
    const again = await openJournal(path);
    expect(eventsIn(path)).toEqual(everyEvent().slice(0, durable));
    expect(again.cutBytes).toBeGreaterThan(0);
    await again.journal.append(everyEvent().slice(durable));
    await again.close();
    expect(eventsIn(path)).toEqual(everyEvent());
  });
});

describe('a journal file is refused', () => {
  it('when it is a link', async () => {
    const path = left('');
    const link = join(path, '..', 'link.jsonl');
    symlinkSync(path, link);
    await expect(openJournal(link)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
    await expect(readJournal(link)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
  });

  it('when it or its folder is open to other users', async () => {
    const path = left('');
    chmodSync(path, 0o640);
    await expect(openJournal(path)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
    await expect(readJournal(path)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
    chmodSync(path, 0o600);
    chmodSync(join(path, '..'), 0o755);
    await expect(openJournal(path)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
  });

  it('when it is a folder', async () => {
    const path = journalPath();
    mkdirSync(path, { recursive: true, mode: 0o700 });
    await expect(openJournal(path)).rejects.toMatchObject({ code: 'STATE_WRITE' });
  });
});
