import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeJournal, encodeEvents } from '../../src/state/codec.js';
import type { JournalEvent } from '../../src/state/event.js';
import { CHAIN_START } from '../../src/state/record.js';
import { ANY_EVENT, everyEvent, started } from './journal-events.js';

const EVENTS = fc.array(ANY_EVENT, { maxLength: 6 });

function bytesOf(events: readonly JournalEvent[]): Buffer {
  return Buffer.from(encodeEvents(CHAIN_START, events).text);
}

/** A record whose hash is right around any JSON, as only a newer version or a person could write it. */
function forged(event: unknown): Buffer {
  return Buffer.from(encodeEvents(CHAIN_START, [event as JournalEvent]).text);
}

describe('a journal on disk', () => {
  it('gives back every type of event as it was written', () => {
    const decoded = decodeJournal(bytesOf(everyEvent()));
    expect(decoded.events).toEqual(everyEvent());
    expect(decoded.validBytes).toBe(bytesOf(everyEvent()).length);
  });

  it('is the same text however the events were grouped into appends', () => {
    fc.assert(
      fc.property(EVENTS, EVENTS, (first, second) => {
        const begun = encodeEvents(CHAIN_START, first);
        const grown = begun.text + encodeEvents(begun.hash, second).text;
        expect(grown).toBe(bytesOf([...first, ...second]).toString());
        expect(decodeJournal(bytesOf(first)).hash).toBe(begun.hash);
      }),
    );
  });

  it('recovers from every cut to the longest run of whole records, and recovering twice changes nothing', () => {
    fc.assert(
      fc.property(EVENTS, (events) => {
        const bytes = bytesOf(events);
        for (let cut = 0; cut <= bytes.length; cut += 1) {
          const torn = bytes.subarray(0, cut);
          const recovered = decodeJournal(torn);
          const whole = torn.filter((byte) => byte === 0x0a).length;
          expect(recovered.events).toEqual(events.slice(0, whole));
          expect(decodeJournal(torn.subarray(0, recovered.validBytes))).toEqual(recovered);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('refuses any changed byte of a whole record that another record follows', () => {
    const bytes = bytesOf(everyEvent().slice(0, 4));
    const lastRecord = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    for (let at = 0; at < lastRecord; at += 1) {
      for (const flip of [0x01, 0x20, 0x80]) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        expect(() => decodeJournal(damaged)).toThrow(expect.objectContaining({ code: 'JOURNAL_CORRUPT' }));
      }
    }
  });

  it('refuses any changed byte of its last record, unless the change takes its newline and so its standing', () => {
    const bytes = bytesOf(everyEvent().slice(0, 2));
    const lastRecord = bytes.indexOf(0x0a) + 1;
    for (let at = lastRecord; at < bytes.length - 1; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x01;
      expect(() => decodeJournal(damaged)).toThrow(expect.objectContaining({ code: 'JOURNAL_CORRUPT' }));
    }
  });

  it('refuses a journal with a record missing, repeated or swapped, naming the byte', () => {
    const records = bytesOf(everyEvent().slice(0, 3))
      .toString()
      .split(/(?<=\n)/);
    const [a = '', b = '', c = ''] = records;
    for (const text of [b + c, a + c, a + a + b, a + c + b]) {
      expect(() => decodeJournal(Buffer.from(text))).toThrow(
        expect.objectContaining({ code: 'JOURNAL_CORRUPT' }),
      );
    }
    expect(() => decodeJournal(Buffer.from(a + c))).toThrow(`byte ${Buffer.byteLength(a)} `);
  });

  it.each(['\n', 'garbage\n', '{}\n', '{"h":"","e":{}}\n', '\0\0\0\0\n'])('refuses the line %j', (line) => {
    expect(() => decodeJournal(Buffer.from(line))).toThrow(
      expect.objectContaining({ code: 'JOURNAL_CORRUPT' }),
    );
  });

  it('refuses what a newer version wrote, be it a type or a version it does not know', () => {
    for (const event of [
      { type: 'step-dreamt', at: 'now' },
      { ...started(), version: 2 },
    ]) {
      expect(() => decodeJournal(forged(event))).toThrow(expect.objectContaining({ code: 'JOURNAL_NEWER' }));
    }
  });

  it('refuses a known event that lacks a member or has one of another shape', () => {
    for (const event of [
      { type: 'resource-forgotten', at: 'now' },
      { ...started(), target: 'production' },
      { type: 'run-ended', at: 'now', run: 'r', result: 'splendid' },
      7,
      null,
    ]) {
      expect(() => decodeJournal(forged(event))).toThrow(
        expect.objectContaining({ code: 'JOURNAL_CORRUPT' }),
      );
    }
  });
});
