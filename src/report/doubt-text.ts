import { escapeTerminal } from './escape.js';
import { counted, paletteOf } from './palette.js';
import type { Doubt } from './doubt.js';
import { valueText } from './value-text.js';
import { wrapped } from './wrap.js';

/** Widest line of a paragraph, in cells. */
const COLUMNS = 100;

/** Longest text of one effect: hashes and addresses must stand whole. */
const MOST_FACTS = 600;

/** Paragraphs that are printed; the rest is counted. */
const MOST = 20;

/** One paragraph for each step that a person may have to settle, with the lines that do it. Empty when there is none. */
export function doubtsText(doubts: readonly Doubt[], options: { readonly colour: boolean }): string {
  const shown = doubts.slice(0, MOST).map((doubt) => doubtText(doubt, options));
  const rest = doubts.length - shown.length;
  return [
    ...shown,
    ...(rest > 0 ? [`… and ${counted(rest, 'step')} more: see \`windlass status --format json\``] : []),
  ].join('\n\n');
}

function doubtText(doubt: Doubt, options: { readonly colour: boolean }): string {
  const { bad, change, accent } = paletteOf(options.colour);
  const paint = doubt.state === 'open' ? change : bad;
  const sentences = [whatWasSent(doubt), whatCame(doubt), whatWasSeen(doubt), whatNow(doubt)];
  const text = wrapped(sentences.filter((sentence) => sentence !== '').join(' '), COLUMNS, '  ');
  const lines = doubt.lines.map((line) => `    ${accent(escapeTerminal(line))}`);
  return [`${paint(HEADS[doubt.state])} ${escapeTerminal(doubt.step)}`, text, ...lines].join('\n');
}

const HEADS = {
  open: 'open',
  undecided: 'undecided',
  reopened: 'in doubt again',
  duplicate: 'DUPLICATE',
} as const satisfies Record<Doubt['state'], string>;

function whatWasSent({ operation, endpoint, resources, sentAt, answer }: Doubt): string {
  const what = resources.map(escapeTerminal).join(', ');
  const sent = `A request to ${operation} (${endpoint}) for ${what} was sent at ${sentAt}`;
  if (answer === null) return `${sent}, or was about to be: the run ended before an answer was recorded.`;
  const status = answer.status === undefined ? '' : ` with ${answer.status}`;
  const words = answer.message === undefined ? '' : ` (${escapeTerminal(answer.message)})`;
  if (answer.outcome === 'accepted') return `${sent} and accepted${status}.`;
  if (answer.outcome === 'ambiguous') return `${sent}; its answer leaves the outcome open${status}${words}.`;
  return `${sent}; it was answered${status} as ${answer.outcome.replace('_', ' ')}${words}.`;
}

function whatCame({ callbacks }: Doubt): string {
  if (callbacks.length === 0) return 'No callback was heard.';
  const claims = callbacks.map(({ claim, at }) => `${claim} at ${at}`);
  return `${counted(callbacks.length, 'callback')} came: ${claims.join(', ')}.`;
}

function whatWasSeen({ looked, since, state, effects, confirmed }: Doubt): string {
  const seen = looked.map(({ read, showed }) => `${escapeTerminal(read)} showed ${escapeTerminal(showed)}`);
  const last = seen.length === 0 ? '' : `Looked at last: ${seen.join('; ')}.`;
  if (state === 'undecided') return `${last} Undecided since ${since ?? ''}.`.trim();
  if (state === 'open') return last === '' ? 'No look has settled it yet.' : last;
  const named = effects.map(
    ({ step, facts }) =>
      `${step === undefined ? 'the lock' : escapeTerminal(step)} ${escapeTerminal(valueText(facts, MOST_FACTS))}`,
  );
  const sign = confirmed
    ? `It was confirmed, and at ${since ?? ''} a sign of a second effect came: something on the way to the service may have delivered the request twice`
    : `It counted as without effect, and at ${since ?? ''} a sign of one came`;
  return `${sign}. Known effects: ${named.join('; ')}.`;
}

function whatNow({ state, lines }: Doubt): string {
  const which = lines.length === 0 ? '' : ' Where you know the outcome, say it:';
  if (state === 'duplicate') return `Both may exist, and only a person can tell.${which}`;
  if (state === 'open' || state === 'reopened')
    return `The next apply looks for proof before anything is sent.${which}`;
  return `It is not sent again, and what depends on it waits; apply looks for proof once more.${which}`;
}
