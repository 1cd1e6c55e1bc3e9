import type { ResourceId, StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type { Appraised } from '../execute/appraise.js';
import { escapeTerminal } from './escape.js';
import { paletteOf } from './palette.js';

/** What `resolve` or `adopt` recorded; `step` is absent for `adopt`. */
export interface Resolved {
  readonly step?: StepId;
  readonly decision?: 'adopt' | 'absent' | 'keep';
  readonly adopted: Readonly<Record<ResourceId, Appraised>>;
}

/** The document of `resolve` and `adopt --format json`. */
export function resolvedJson(resolved: Resolved): Json {
  return resolved as unknown as Json;
}

/** The same for people. */
export function adoptedText(
  { step, decision, adopted }: Resolved,
  options: { readonly colour: boolean },
): string {
  const { good, change } = paletteOf(options.colour);
  const name = escapeTerminal(step ?? '');
  if (decision === 'absent')
    return `${change('absent')} ${name}: it counts as without effect; the next apply sends it again.`;
  if (decision === 'keep')
    return `${change('kept')} ${name}: both effects stay, and the lock stays as it is.`;
  const lines = (Object.entries(adopted) as [ResourceId, Appraised][]).map(
    ([id, { outputs, grade, unseen, uncompared }]) => {
      const what = Object.entries(outputs).flatMap(([key, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [`${key} ${value}`] : [],
      );
      const why =
        unseen === undefined ? `verified by reads, grade ${grade}` : `on your word: ${unseen}; grade O`;
      const missing =
        step !== undefined || uncompared.length === 0
          ? ''
          : `; on your word, because no read here shows it: ${uncompared.join(', ')}`;
      return `${good('locked')} ${escapeTerminal(`${id}: ${what.join(', ')} (${why})${missing}`)}`;
    },
  );
  return lines.join('\n');
}
