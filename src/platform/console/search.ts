import { checksummed } from '../chain/signing.js';
import { invalid, type Context } from '../handlers/handler.js';
import type { Reader } from '../state/records.js';
import { searchPatterns } from '../state/search-text.js';
import type { Query } from './query.js';
import { PLACES, type Place } from './search-places.js';
import type { SearchHit, SearchResult } from './shapes.js';

/** Hits of one kind that a search shows. */
const SHOWN = 6;

/** Rows of one kind that a search reads at most, the newest: it holds up everybody's requests while it does. */
const READ = 10_000;

const SHORTEST = 2;
const LONGEST = 200;

interface Found {
  readonly title: string;
  readonly detail: string | null;
  readonly first: string | number | null;
  readonly second: string | number | null;
  readonly filter: string | number | null;
}

/**
 * Finds what holds a text in its name, key, id, address or hash: at most six hits of a kind, among the newest 10,000 of
 * it; whole matches first. A number finds also what has that id.
 *
 * @throws ServiceError 422 when the text is longer than 200 characters, or none that can be kept
 */
export async function search({ records }: Context, { org, query }: Query): Promise<SearchResult> {
  const text = (query['q'] ?? '').trim();
  if (text.length > LONGEST)
    throw invalid({ q: [`The q field must not be greater than ${String(LONGEST)} characters.`] });
  if (/[\0\p{Cs}]/u.test(text)) throw invalid({ q: ['The q field must not contain broken Unicode.'] });
  const number = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (text.length < SHORTEST && number === undefined) return { items: [], more: [] };
  const asked = { org, text, patterns: searchPatterns(text), number };
  const all = await Promise.all(PLACES.map(async (place) => hitsIn(records, place, asked)));
  const whole = text.toLowerCase();
  const isWhole = ({ title, detail, path }: SearchHit): boolean =>
    [title, detail, path.at(-1) ?? ''].some((part) => part.toLowerCase() === whole);
  const items = all.flatMap((hits) => hits.slice(0, SHOWN));
  return {
    items: [...items.filter(isWhole), ...items.filter((hit) => !isWhole(hit))],
    more: all.flatMap(([first, ...rest]) => (first && rest.length >= SHOWN ? [first.kind] : [])),
  };
}

interface Asked {
  readonly org: string;
  readonly text: string;
  readonly patterns: readonly string[];
  readonly number: number | undefined;
}

/** The column of a whole hash or address, and how it stands there; undefined when the text is neither. */
function exactOf({ exact }: Place, text: string): readonly [column: string, value: string] | undefined {
  const hash = /^0x[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined;
  const address = checksummed(text);
  if (hash !== undefined && exact?.hash !== undefined) return [exact.hash, hash];
  return address !== undefined && exact?.address !== undefined ? [exact.address, address] : undefined;
}

async function hitsIn(reader: Reader, place: Place, asked: Asked): Promise<readonly SearchHit[]> {
  const { org, text, patterns, number } = asked;
  const exact = exactOf(place, text);
  if (exact !== undefined) {
    const [column, value] = exact;
    const rows = place.rows.replace(' ORDER BY', ` AND ${column} = ? ORDER BY`);
    const sql = `SELECT title, detail, first, second, filter FROM (${rows} LIMIT ${String(SHOWN + 1)}) AS found`;
    return (await reader.all<Found>(sql, [org, value])).map((row) => hitOf(place, row));
  }
  const distinct = text.length < SHORTEST ? [] : [...new Set(patterns)];
  const isNumbered = number !== undefined && place.number !== undefined;
  const conditions = [
    ...place.texts.flatMap((column) => distinct.map(() => `lower(${column}) LIKE ? ESCAPE '!'`)),
    ...(isNumbered ? [`${place.number ?? ''} = ?`] : []),
  ];
  if (conditions.length === 0) return [];
  const sql = `SELECT title, detail, first, second, filter FROM (${place.rows} LIMIT ${String(READ)}) AS found
    WHERE ${conditions.join(' OR ')} LIMIT ${String(SHOWN + 1)}`;
  const args = [org, ...place.texts.flatMap(() => distinct), ...(isNumbered ? [number] : [])];
  const rows = await reader.all<Found>(sql, args);
  return rows.map((row) => hitOf(place, row));
}

function hitOf(place: Place, { title, detail, first, second, filter }: Found): SearchHit {
  const parts = [first, second].flatMap((part) => (part === null ? [] : [String(part)]));
  const isNarrowed = filter !== null && place.filter !== undefined;
  return {
    kind: place.kind,
    title: title.slice(0, LONGEST),
    detail: (detail ?? '').slice(0, LONGEST),
    path: [...place.section.split('/'), ...parts],
    query: isNarrowed ? { [place.filter ?? '']: String(filter) } : {},
  };
}
