import type { Counts } from '../model/counts.js';
import { counted, grouped } from './palette.js';

const WORDS = {
  create: 'to create',
  update: 'to update',
  deploy: 'to deploy',
  replace: 'to replace',
  adopt: 'to adopt',
  move: 'to move',
  blocked: 'blocked',
  unchanged: 'unchanged',
} as const satisfies Partial<Record<keyof Counts, string>>;

/** `24 resources: 20 to create, 3 to deploy, 1 unchanged`, which add up; then what is in the lock only. */
export function resourcesText(counts: Counts, partial: boolean): string {
  const parts = (Object.keys(WORDS) as (keyof typeof WORDS)[])
    .filter((name) => counts[name] > 0)
    .map((name) => `${grouped(counts[name])} ${WORDS[name]}`);
  const { resources, unchanged } = counts;
  const total = counted(resources, partial ? 'selected resource' : 'resource');
  const all = unchanged === resources ? `${total} unchanged` : `${total}: ${parts.join(', ')}`;
  return [...(resources === 0 ? [] : [all]), ...leavingText(counts)].join('; ');
}

/** `23 changes in 20 steps`. */
export function changesText({ changes, steps }: Pick<Counts, 'changes' | 'steps'>): string {
  return `${counted(changes, 'change')} in ${counted(steps, 'step')}`;
}

function leavingText({ forget, leftBehind }: Counts): readonly string[] {
  return [
    ...(forget > 0 ? [`${grouped(forget)} to forget`] : []),
    ...(leftBehind > 0 ? [`${grouped(leftBehind)} no longer in the plan`] : []),
  ];
}
