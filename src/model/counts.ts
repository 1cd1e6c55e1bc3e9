import type { Change, ChangeSet } from './change.js';

/**
 * The numbers that every summary shows, whatever the command and the format (`docs/output.md` says what the words mean).
 *
 * Two sums hold. `resources` is `create + update + deploy + replace + adopt + move + blocked + unchanged`; `changes` is
 * `create + update + deploy + replace + adopt + move + forget`.
 */
export interface Counts {
  /** What the plan has Windlass make and keep: each is one entry of the lock once it is released. */
  readonly resources: number;
  /** Resources that something happens to. */
  readonly changes: number;
  /** Writes: several contracts of one deployment may share one, and what only the lock learns needs none. */
  readonly steps: number;
  readonly create: number;
  readonly update: number;
  readonly deploy: number;
  readonly replace: number;
  /** What the platform shows goes into the lock, without a write. */
  readonly adopt: number;
  /** The entry in the lock gets a new id, without a write. */
  readonly move: number;
  readonly blocked: number;
  readonly unchanged: number;
  /** Only in the lock, and leaves it. */
  readonly forget: number;
  /** Only in the lock, and stays there. */
  readonly leftBehind: number;
  /** What the plan only names, because it exists already: no resource of this release. */
  readonly existing: number;
}

type Counted = Exclude<keyof Counts, 'resources' | 'changes' | 'steps'>;

/** Counts a change set, or a part of one. */
export function countChangeSet({ changes, steps }: Pick<ChangeSet, 'changes' | 'steps'>): Counts {
  const each: Record<Counted, number> = {
    create: 0,
    update: 0,
    deploy: 0,
    replace: 0,
    adopt: 0,
    move: 0,
    blocked: 0,
    unchanged: 0,
    forget: 0,
    leftBehind: 0,
    existing: 0,
  };
  for (const change of changes) each[countedAs(change)] += 1;
  const { blocked, unchanged, forget } = each;
  const made = each.create + each.update + each.deploy + each.replace + each.adopt + each.move;
  return { resources: made + blocked + unchanged, changes: made + forget, steps: steps.length, ...each };
}

/** The word under which a change is counted; exactly one. */
function countedAs({ action, adopt, movedFrom, undeclared, existing }: Change): Counted {
  if (action !== 'none') return action;
  if (undeclared === true) return 'leftBehind';
  if (existing === true) return 'existing';
  if (adopt !== undefined) return 'adopt';
  return movedFrom === undefined ? 'unchanged' : 'move';
}
