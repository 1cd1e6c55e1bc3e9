import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResourceId } from '../../src/model/id.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import { encodeEvents } from '../../src/state/codec.js';
import type { JournalEvent, Outputs } from '../../src/state/event.js';
import type { Lock } from '../../src/state/lock.js';
import { formatLock, formatParts } from '../../src/state/lockfile-text.js';
import { parseLock } from '../../src/state/lockfile.js';

import {
  adopted,
  ANY_EVENT,
  AT,
  everyEvent,
  intended,
  projectLock,
  settled,
  started,
} from './journal-events.js';
import { schemaValidator, undescribed } from './schemas.js';

const OUTPUTS: Outputs = { address: '0xA', transaction: '0x1', blockNumber: 7, code: 'sha256:c' };

function lockOf(...events: readonly JournalEvent[]): Lock {
  const lock = projectLock([started(), ...events]);
  if (lock === undefined) throw new Error('no lock');
  return { ...lock, entries: new Map(lock.entries) };
}

function releaseLock(at = AT, transaction = '0x1'): Lock {
  const certificate = (key: string): JournalEvent =>
    adopted(`certificate.class[${key}]`, { tokenId: key, transaction }, { at });
  return lockOf(
    intended('deployment.core#1', { 'contract.core.Token': { cap: '1' } }),
    settled('deployment.core#1', { 'contract.core.Token': { ...OUTPUTS, transaction } }, { at }),
    adopted('tag.v1', { id: '4' }, { at }),
    certificate('S-2'),
    certificate('S-10'),
    certificate('a]b[c'),
  );
}

function unreadable(main: string, batches: ReadonlyMap<string, string>): void {
  expect(() => parseLock(main, batches)).toThrow(expect.objectContaining({ code: 'LOCK_UNREADABLE' }));
}

describe('a lockfile', () => {
  it('names addresses first, and reads back as the lock that was written', () => {
    const lock = releaseLock();
    const { main, batches } = formatLock(lock);
    expect(main.startsWith('{\n  "addresses": {\n    "contract.core.Token": "0xA"\n  },\n')).toBe(true);
    expect(parseLock(main, batches)).toEqual(lock);
  });

  it('comes with an entry in each piece, the sidecars before the main file', () => {
    const parts = Array.from(formatParts(releaseLock()), ({ batch, pieces }) => [batch, [...pieces].length]);
    expect(parts).toEqual([
      ['class', 3],
      // The opening; addresses of the contract alone, and their end; the head; two resources, and their end; the batches.
      [undefined, 8],
    ]);
    expect(Array.from(formatParts(lockOf()), ({ pieces }) => [...pieces].join(''))).toEqual([
      expect.stringContaining('"addresses": {},\n'),
    ]);
  });

  it('reads back for every journal, and is the same text whatever the order in which resources came', () => {
    const ids = fc.constantFrom<ResourceId>(
      'tag.a',
      'tag.2',
      'contract.d.X',
      'certificate.b[1]',
      'certificate.b["]',
    );
    const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
    const named = fc
      .dictionary(fc.string(), json)
      .map((inputs) => JSON.parse(JSON.stringify(inputs)) as JsonObject);
    const event = fc.tuple(ids, named).map(([id, inputs]) => adopted(id, OUTPUTS, { inputs }));
    fc.assert(
      fc.property(fc.uniqueArray(event, { selector: ({ id }) => id }), (events) => {
        const lock = lockOf(...events);
        const texts = formatLock(lock);
        expect(parseLock(texts.main, texts.batches)).toEqual(lock);
        expect(formatLock(lockOf(...events.toReversed()))).toEqual(texts);
        expect(formatLock(parseLock(texts.main, texts.batches))).toEqual(texts);
        expect(texts.main).toBe(`${JSON.stringify(JSON.parse(texts.main), undefined, 2)}\n`);
      }),
    );
  });

  it('differs between two runs only in members that say when and in which transaction', () => {
    const [first, second] = [releaseLock(), releaseLock('2027-01-01T00:00:00.000Z', '0x2')].map(stable);
    expect(first).toEqual(second);
    expect(formatLock(releaseLock()).main).not.toBe(formatLock(releaseLock(AT, '0x2')).main);
  });

  it('keeps the rows of a batch in a sidecar, sorted by key, one line each', () => {
    const { main, batches } = formatLock(releaseLock());
    const keys = (batches.get('class') ?? '')
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { key: string }).key);
    expect(keys).toEqual(['S-10', 'S-2', 'a]b[c']);
    expect(main).not.toContain('S-10');
    expect(JSON.parse(main)).toMatchObject({ batches: { class: { rows: 3, grades: { B: 3 } } } });
  });

  it('lets Git merge two branches that each add a resource', () => {
    const base = [
      adopted('tag.b', { id: '1' }),
      adopted('tag.k', { id: '2' }),
      adopted('tag.z', { id: '3' }),
    ];
    const ours = lockOf(...base, adopted('tag.d', { address: '0xD' }));
    const theirs = lockOf(...base, adopted('tag.p', { id: '5' }));
    const merged = gitMerge(formatLock(ours).main, formatLock(lockOf(...base)).main, formatLock(theirs).main);
    expect([...parseLock(merged, new Map()).entries.keys()]).toEqual([
      'tag.b',
      'tag.d',
      'tag.k',
      'tag.p',
      'tag.z',
    ]);
  });

  it('reads back from a checkout that changed the line ends', () => {
    const { main, batches } = formatLock(releaseLock());
    const windows = (text: string): string => text.replaceAll('\n', '\r\n');
    const checkedOut = new Map([...batches].map(([name, text]) => [name, windows(text)]));
    expect(parseLock(windows(main), checkedOut)).toEqual(releaseLock());
  });
});

describe('a lockfile edited by hand is refused', () => {
  const { main, batches } = formatLock(releaseLock());

  it.each([
    ['an address in the list', '"contract.core.Token": "0xA"', '"contract.core.Token": "0xEVIL"'],
    ['an address in the entry', '"address": "0xA"', '"address": "0xEVIL"'],
    ['an address of a resource without entry', '"addresses": {', '"addresses": {\n"tag.x": "0x1",'],
    ['an input', '"cap": "1"', '"cap": "2"'],
    ['the version', '"version": 1', '"version": 2'],
    ['a grade', '"grade": "B"', '"grade": "Z"'],
    ['an id', '"tag.v1": {', '"banana.v1": {'],
    ['the serial', '"serial": 5', '"serial": -5'],
    ['a step', '"step": "deployment.core#1"', '"step": "deployment.core"'],
    ['a comma', ',', ''],
    ['the number of rows', '"rows": 3', '"rows": 4'],
  ])('in %s', (_, from, to) => {
    expect(main).toContain(from);
    unreadable(main.replace(from, to), batches);
  });

  it('in a row, by a row too few, and without its sidecar', () => {
    const rows = batches.get('class') ?? '';
    unreadable(main, new Map([['class', rows.replace('"tokenId":"S-2"', '"tokenId":"S-3"')]]));
    unreadable(main, new Map([['class', rows.slice(0, -20)]]));
    unreadable(main, new Map());
  });

  it('when it is empty, not an object, or holds an unfinished merge', () => {
    for (const text of ['', 'null', '[]', '{}', `<<<<<<< HEAD\n${main}`, main.slice(0, -10)])
      unreadable(text, batches);
  });
});

describe('the published schemas', () => {
  it('describe every key, with an example', () => {
    expect(undescribed('lock')).toEqual([]);
    expect(undescribed('journal')).toEqual([]);
  });

  it('accept the lockfile and its sidecars as they are written', () => {
    const { main, batches } = formatLock(releaseLock());
    const validate = schemaValidator('lock');
    validate(JSON.parse(main));
    expect(validate.errors ?? []).toEqual([]);
    const validateRow = schemaValidator('lock', '#/definitions/row');
    for (const line of (batches.get('class') ?? '').trimEnd().split('\n')) {
      validateRow(JSON.parse(line));
      expect(validateRow.errors ?? []).toEqual([]);
    }
  });

  it('accept every line of a journal, for every type of event', () => {
    const validate = schemaValidator('journal');
    for (const line of encodeEvents('', everyEvent()).text.trimEnd().split('\n')) {
      validate(JSON.parse(line));
      expect(validate.errors ?? []).toEqual([]);
    }
    fc.assert(fc.property(ANY_EVENT, (event) => validate(JSON.parse(encodeEvents('', [event]).text))));
  });

  it('refuse a lockfile with a foreign key and a journal with a foreign event', () => {
    const lock = JSON.parse(formatLock(releaseLock()).main) as object;
    expect(schemaValidator('lock')({ ...lock, note: 'mine' })).toBe(false);
    const record = { h: '0'.repeat(32), e: { type: 'resource-forgotten', at: AT, id: 'tag.a' } };
    expect(schemaValidator('journal')(record)).toBe(true);
    expect(schemaValidator('journal')({ ...record, e: { ...record.e, note: 'mine' } })).toBe(false);
    expect(schemaValidator('journal')({ ...record, e: { type: 'step-dreamt', at: AT } })).toBe(false);
  });
});

/** The texts without the members that are documented to differ between runs. */
function stable(lock: Lock): Json {
  const volatile = ['receipt', 'settled', 'grades'];
  const strip = (text: string): Json =>
    JSON.parse(text, (key, value: Json) => (volatile.includes(key) ? undefined : value)) as Json;
  const { main, batches } = formatLock(lock);
  const rows = [...batches.values()].flatMap((text) => text.trimEnd().split('\n').map(strip));
  return [strip(main.replace(/"digest": "sha256:[0-9a-f]+"\n {4}}/g, '"digest": ""}')), rows];
}

function gitMerge(ours: string, base: string, theirs: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-merge-'));
  try {
    const texts = { ours, base, theirs };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    return execFileSync('git', ['merge-file', '-p', 'ours', 'base', 'theirs'], {
      cwd: folder,
      encoding: 'utf8',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
