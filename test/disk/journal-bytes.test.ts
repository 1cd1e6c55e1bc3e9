import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foldBytes, type FoldedBytes } from '../../src/disk/journal-bytes.js';
import { openJournal, readJournal } from '../../src/disk/journal-file.js';
import { encodeEvents, foldJournal } from '../../src/state/codec.js';
import type { JournalEvent } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';
import { CHAIN_START } from '../../src/state/record.js';
import { digestOf } from '../../src/model/canonical.js';
import { intended, settled, started } from '../state/journal-events.js';
import { temporaryFolder } from './temporary-folder.js';

const STEPS = 12_000;

function stepsOf(count: number): readonly JournalEvent[] {
  return Array.from({ length: count }, (_, index): readonly JournalEvent[] => {
    const id = `certificate.class[S-${index}]` as const;
    return [
      intended(`${id}#1`, { [id]: { name: `Ann ${index}` } }, { token: digestOf(index) }),
      settled(`${id}#1`, { [id]: { transaction: digestOf(-index) } }),
    ];
  }).flat();
}

const EVENTS = [started(), ...stepsOf(STEPS)];
const GOOD = encodeEvents(CHAIN_START, EVENTS);

/** Folds bytes that come in pieces of 1 MiB, and counts how often they were begun with. */
async function folded(bytes: Uint8Array): Promise<FoldedBytes<LineageState> & { readonly begun: number }> {
  let begun = 0;
  const read = async (take: (piece: Uint8Array) => unknown): Promise<void> => {
    for (let from = 0; from < bytes.length; from += 1 << 20)
      await take(bytes.subarray(from, from + (1 << 20)));
  };
  const found = await foldBytes({ sizeBytes: bytes.length, read }, () => {
    begun += 1;
    return new LineageState();
  });
  return { ...found, begun };
}

function fileOf(bytes: Uint8Array): string {
  const path = join(temporaryFolder(), 'env', 'test', 'journal.jsonl');
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(path, bytes, { mode: 0o600 });
  return path;
}

/** What is said of bytes that are read in order, by one thread. */
function refusalOf(bytes: Uint8Array): unknown {
  try {
    foldJournal(bytes);
  } catch (thrown) {
    return thrown;
  }
  throw new Error('these bytes are a journal');
}

describe('a long journal, whose chain is checked beside its fold', () => {
  it('amounts to what it amounts to when it is read in order, and is read once', async () => {
    const bytes = Buffer.from(GOOD.text);
    expect(bytes.length).toBeGreaterThan(5 << 20);
    const { sink, reader, begun } = await folded(bytes);
    const plain = foldJournal(bytes);
    expect(begun).toBe(1);
    expect([reader.hash, reader.validBytes]).toEqual([plain.hash, plain.validBytes]);
    expect(reader.hash).toBe(GOOD.hash);
    expect(sink.attempts.size).toBe(STEPS);
    expect([...sink.attempts].slice(-3)).toEqual([...plain.state.attempts].slice(-3));
    expect(sink.lock?.serial).toBe(plain.state.lock?.serial);
  });

  it('loses its torn end as a short one does, and goes on from there', async () => {
    const path = fileOf(Buffer.from(`${GOOD.text}{"h":"00`));
    const { state, cutBytes, journal, close } = await openJournal(path);
    expect(cutBytes).toBe(8);
    expect(state?.lock?.entries.size).toBe(STEPS);
    await journal.append([{ type: 'run-ended', at: '2026-11-21T10:00:00.000Z', run: 'r', result: 'done' }]);
    await close();
    expect((await readJournal(path))?.mark.sizeBytes).toBeGreaterThan(Buffer.byteLength(GOOD.text));
  });

  it.each([
    ['in its first record', 40],
    ['where a value is', 3_000_017],
    ['in its last record', -30],
  ])('is refused at the same byte and for the same reason when a byte is changed %s', async (_, place) => {
    const bytes = Buffer.from(GOOD.text);
    const at = place < 0 ? bytes.length + place : place;
    bytes[at] = bytes[at] === 0x30 ? 0x31 : 0x30;
    const refusal = refusalOf(bytes);
    expect(refusal).toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await expect(folded(bytes)).rejects.toEqual(refusal);
    await expect(readJournal(fileOf(bytes))).rejects.toEqual(refusal);
    await expect(openJournal(fileOf(bytes))).rejects.toEqual(refusal);
  });

  it('is refused when a record is missing, or stands twice', async () => {
    const lines = GOOD.text.split('\n');
    for (const wrong of [lines.toSpliced(9000, 1), lines.toSpliced(9000, 0, lines[9000] ?? '')]) {
      const bytes = Buffer.from(wrong.join('\n'));
      await expect(folded(bytes)).rejects.toEqual(refusalOf(bytes));
    }
  });

  it('is refused when its chain is unbroken and its events contradict one another', async () => {
    const twice = encodeEvents(GOOD.hash, EVENTS.slice(1, 2)).text;
    const bytes = Buffer.from(GOOD.text + twice);
    await expect(folded(bytes)).rejects.toEqual(refusalOf(bytes));
    const later = encodeEvents(GOOD.hash, [{ type: 'of-later' } as unknown as JournalEvent]).text;
    await expect(folded(Buffer.from(GOOD.text + later))).rejects.toMatchObject({ code: 'JOURNAL_NEWER' });
  });
});
