import { hash as digest } from 'node:crypto';
import type { ErrorCode } from '../model/error-codes.js';
import { WindlassError } from '../model/error.js';
import { isJsonObject, type Json } from '../model/json.js';
import { isEventType, misshapenMember } from './event-shape.js';
import { EVENT_VERSION, type JournalEvent } from './event.js';

/** The hash before the first record. */
export const CHAIN_START = '';

const HASH_DIGITS = 32;
const NEWLINE = 0x0a;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const OPENING = '{"h":"';
const MIDDLE = '","e":';
const EVENT_OFFSET = OPENING.length + HASH_DIGITS + MIDDLE.length;

/** What a journal holds. `hash` is the chain's end, from which appending goes on. */
export interface DecodedJournal {
  readonly events: readonly JournalEvent[];
  readonly hash: string;
  /** Length of the whole records; what stands after them is a torn tail, to be cut before anything is appended. */
  readonly validBytes: number;
}

/**
 * Records for the end of a journal: one line `{"h":HASH,"e":EVENT}` each. HASH is the first 128 bits, in hex, of
 * SHA-256 over the hash before and the event's text, so that no record can be changed, lost or swapped unseen.
 *
 * @param previousHash end of the chain so far; {@link CHAIN_START} for an empty journal
 */
export function encodeEvents(
  previousHash: string,
  events: readonly JournalEvent[],
): { readonly text: string; readonly hash: string } {
  let hash = previousHash;
  let text = '';
  for (const event of events) {
    const json = JSON.stringify(event);
    hash = chainHash(hash, json);
    text += `{"h":"${hash}","e":${json}}\n`;
  }
  return { text, hash };
}

/**
 * The events of a journal, oldest first.
 *
 * Only a newline makes a record: an unterminated end is a write that a crash cut short, and none of it counts,
 * even if it looks whole. Anything else that is wrong means damage or editing.
 *
 * @throws JOURNAL_CORRUPT with the byte where the bad record starts; JOURNAL_NEWER for events of a later version
 */
export function decodeJournal(bytes: Uint8Array): DecodedJournal {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const events: JournalEvent[] = [];
  let hash = CHAIN_START;
  let start = 0;
  for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
    const line = lineText(buffer.subarray(start, end), start);
    const json = eventText(line, start);
    const expected = chainHash(hash, json);
    if (!line.startsWith(expected, OPENING.length)) {
      throw damaged('JOURNAL_CORRUPT', start, 'its hash does not follow from the record before');
    }
    events.push(parseEvent(json, start));
    hash = expected;
    start = end + 1;
  }
  return { events, hash, validBytes: start };
}

function chainHash(previous: string, json: string): string {
  return digest('sha256', previous + json, 'hex').slice(0, HASH_DIGITS);
}

/** Strict: two texts that differ must not have one hash because both were repaired. */
function lineText(bytes: Uint8Array, start: number): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw damaged('JOURNAL_CORRUPT', start, 'it is not UTF-8');
  }
}

function eventText(line: string, start: number): string {
  const framed =
    line.startsWith(OPENING) && line.startsWith(MIDDLE, OPENING.length + HASH_DIGITS) && line.endsWith('}');
  if (!framed) throw damaged('JOURNAL_CORRUPT', start, 'it is not a record');
  return line.slice(EVENT_OFFSET, -1);
}

function parseEvent(json: string, start: number): JournalEvent {
  const event = parseJson(json, start);
  if (!isJsonObject(event)) throw damaged('JOURNAL_CORRUPT', start, 'it holds no event');
  const type = event['type'];
  if (!isEventType(type))
    throw damaged('JOURNAL_NEWER', start, 'this version does not know its type of event');
  if (type === 'lineage-started' && Number(event['version']) > EVENT_VERSION) {
    throw damaged('JOURNAL_NEWER', start, `its events have version ${Number(event['version'])}`);
  }
  const wrong = misshapenMember(type, event);
  if (wrong !== undefined) throw damaged('JOURNAL_CORRUPT', start, `\`${wrong}\` is missing or malformed`);
  return event as unknown as JournalEvent;
}

function parseJson(json: string, start: number): Json {
  try {
    return JSON.parse(json) as Json;
  } catch {
    throw damaged('JOURNAL_CORRUPT', start, 'it is not JSON');
  }
}

function damaged(code: ErrorCode, byte: number, why: string): WindlassError {
  return new WindlassError(code, `The journal's record at byte ${byte} cannot be used: ${why}.`);
}
