import type { OtherThing } from '../execute/repeats.js';
import type { Verification } from '../execute/verify.js';
import type { Difference } from '../kinds/maker/difference.js';
import type { Json } from '../model/json.js';
import { countDoubts, doubtCountsText, type Doubt } from './doubt.js';
import { doubtsText } from './doubt-text.js';
import { escapeTerminal } from './escape.js';
import { counted, paletteOf } from './palette.js';
import { fieldText, valueText } from './value-text.js';

/** Unreadable things that are named one by one. */
const MOST_NAMED = 20;

/** Longest text of one effect: hashes and addresses must stand whole. */
const MOST_FACTS = 600;

/**
 * What `verify` found, for people: mismatches first, then what could not be read, then every step that is not settled, with
 * the lines that settle it, then the count.
 */
export function verificationText(
  found: Verification,
  options: { readonly colour: boolean; readonly doubts?: readonly Doubt[] },
): string {
  const { doubts = [] } = options;
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
  const others = found.others
    .slice(0, MOST_NAMED)
    .map((other) => `${palette.change('note')} ${escapeTerminal(otherText(other))}`);
  const rest = found.unreadable.length - unreadable.length;
  return [
    ...mismatches,
    ...repeats,
    ...others,
    ...unreadable,
    ...(rest > 0 ? [`… and ${counted(rest, 'more unread', 'more unread')}`] : []),
    ...(doubts.length > 0 ? ['', doubtsText(doubts, options), ''] : []),
    summaryText(found, doubts),
  ].join('\n');
}

/** The document of `verify --format json`. */
export function verificationJson(found: Verification, doubts: readonly Doubt[]): Json {
  const { matches, mismatches, unreadable } = found;
  const [match, differ, unread] = [matches.length, mismatches.length, unreadable.length];
  const counts = { resources: match + differ + unread, match, differ, unreadable: unread };
  return JSON.parse(JSON.stringify({ counts, ...found, doubts })) as Json;
}

const DIFFERENCES: Readonly<Record<Difference, string>> = {
  sender: 'from another wallet',
  parameters: 'with other parameters',
};

/** One sentence about something that is somebody else's. */
export function otherText({ what, name, step, differs }: OtherThing): string {
  const how = differs.map((difference) => DIFFERENCES[difference]).join(', ');
  const verb = what.includes('contract') ? 'deployed' : 'made';
  return `somebody else ${verb} this, ${how}: ${what} ${name}. It looks like ${step}, and asks nothing of you.`;
}

function summaryText(
  { matches, mismatches, unreadable, repeats }: Verification,
  doubts: readonly Doubt[],
): string {
  const total = matches.length + mismatches.length + unreadable.length;
  const open = doubtCountsText(countDoubts(doubts));
  if (total === 0) {
    const nothing = 'Nothing is locked, so there is nothing to verify';
    return open === '' ? `${nothing}.` : `${nothing}; but ${open}.`;
  }
  return [
    `${matches.length} of ${counted(total, 'resource')} match`,
    ...(mismatches.length > 0 ? [mismatches.length === 1 ? '1 differs' : `${mismatches.length} differ`] : []),
    ...(repeats.length > 0
      ? [`${counted(repeats.length, 'step')} had a second effect: run \`windlass apply\``]
      : []),
    ...(unreadable.length > 0 ? [`${unreadable.length} cannot be read here`] : []),
    ...(open === '' ? [] : [open]),
  ]
    .join(', ')
    .concat('.');
}
