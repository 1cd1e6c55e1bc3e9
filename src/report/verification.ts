import type { Verification } from '../execute/verify.js';
import type { Json } from '../model/json.js';
import { escapeTerminal } from './escape.js';
import { counted, paletteOf } from './palette.js';
import { fieldText, valueText } from './value-text.js';

/** Unreadable things that are named one by one. */
const MOST_NAMED = 20;

/** Longest text of one effect: hashes and addresses must stand whole. */
const MOST_FACTS = 600;

/** What `verify` found, for people: mismatches first, then what could not be read, then the count. */
export function verificationText(found: Verification, options: { readonly colour: boolean }): string {
  const palette = paletteOf(options.colour);
  const mismatches = found.mismatches.map(({ id, message, fields }) =>
    [
      `${palette.bad('differs')} ${escapeTerminal(id)}: ${escapeTerminal(message)}`,
      ...fields.map((field) => `     ${escapeTerminal(`${field.path}: ${fieldText(field)}`)}`),
    ].join('\n'),
  );
  const unreadable = found.unreadable
    .slice(0, MOST_NAMED)
    .map(({ id, reason }) => `${palette.change('unread')} ${escapeTerminal(id)}: ${escapeTerminal(reason)}`);
  const repeats = found.repeats.map(
    ({ step, facts }) =>
      `${palette.bad('TWICE')} ${escapeTerminal(step)}: ${escapeTerminal(valueText(facts, MOST_FACTS))}`,
  );
  const rest = found.unreadable.length - unreadable.length;
  return [
    ...mismatches,
    ...repeats,
    ...unreadable,
    ...(rest > 0 ? [`… and ${counted(rest, 'more unread', 'more unread')}`] : []),
    summaryText(found),
  ].join('\n');
}

/** The document of `verify --format json`. */
export function verificationJson(found: Verification): Json {
  return JSON.parse(JSON.stringify(found)) as Json;
}

function summaryText({ matches, mismatches, unreadable, repeats }: Verification): string {
  const total = matches.length + mismatches.length + unreadable.length;
  if (total === 0) return 'Nothing is locked, so there is nothing to verify.';
  return [
    `${matches.length} of ${counted(total, 'locked resource')} match`,
    ...(mismatches.length > 0 ? [mismatches.length === 1 ? '1 differs' : `${mismatches.length} differ`] : []),
    ...(repeats.length > 0
      ? [`${counted(repeats.length, 'step')} had a second effect: run \`windlass apply\``]
      : []),
    ...(unreadable.length > 0 ? [`${unreadable.length} cannot be read here`] : []),
  ]
    .join(', ')
    .concat('.');
}
