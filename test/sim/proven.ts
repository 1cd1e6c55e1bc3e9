import type { ResourceId } from '../../src/model/id.js';
import { isOpen } from '../../src/state/attempt.js';
import { idText } from '../../src/kinds/listing.js';
import type { Outputs } from '../../src/state/event.js';
import type { LockEntry } from '../../src/state/lock.js';
import type { LineageState } from '../../src/state/project.js';
import { groupsOf } from './groups.js';
import { tellsWallets } from './profiles.js';
import type { Effect } from './truth.js';
import type { World } from './world.js';

const NAMES = ['address', 'transaction', 'id', 'slug', 'tokenId'] as const;

/**
 * S4, S5, S6, S20: compares what a state says with what really happened. Every live effect has a step that is confirmed
 * or open, and every confirmed step has an effect of its own, with the ids that it says.
 */
export function checkProven(world: World, state: LineageState): void {
  const entries = state.lock?.entries ?? new Map<ResourceId, LockEntry>();
  const groups = groupsOf(world.plan);
  const open = new Set([...state.attempts.values()].filter(isOpen).flatMap(({ resources }) => resources));
  for (const [group, members] of groups.members) {
    const effects = world.platform.truth.of(group);
    const confirmed = members.flatMap((id) => entries.get(id) ?? []);
    checkInvented(world, effects, confirmed);
    const accounted = members.filter((id) => entries.has(id) || open.has(id)).length;
    world.check(
      effects.length <= accounted + world.repeats,
      'S4',
      () => `${effects.length} effects of ${group}, but ${accounted} steps say so`,
    );
  }
  for (const entry of entries.values()) checkEntry(world, entry);
}

function checkEntry(world: World, entry: LockEntry): void {
  const { id, grade, outputs } = entry;
  const text = JSON.stringify(outputs);
  const earlier = world.confirmed.get(id);
  world.check(earlier === undefined || earlier === text, 'S6', () => `${id} was ${earlier} and is ${text}`);
  world.confirmed.set(id, text);
  world.check(
    grade !== 'A' || world.profile.chain === true,
    'S20',
    () => `${id} claims to be read from a chain that nothing here reads`,
  );
  const told = grade === 'B' && world.profile.capabilities.length === 0;
  const kind = entry.kind;
  const unread = ['audit-contract', 'certificate-contract', 'category', 'tag', 'wallet'].includes(kind);
  world.check(!(told && unread), 'S20', () => `${id} claims to be read where nothing shows it`);
}

function checkInvented(world: World, effects: readonly Effect[], entries: readonly LockEntry[]): void {
  const used = new Set<Effect>();
  for (const { id, outputs, grade } of entries) {
    // What only a callback proves is as good as the secrecy of its token.
    if (grade === 'C' && world.forged) continue;
    // A lost write and a stranger's equal one: no read tells which of them happened, unless another wallet made it.
    const effect = [...effects, ...believable(world)].find(
      (item) => !used.has(item) && isShownBy(item, outputs),
    );
    world.check(
      effect !== undefined,
      'S5',
      () => `${id} is confirmed with ${JSON.stringify(outputs)}, which never happened`,
    );
    if (effect !== undefined) used.add(effect);
  }
}

function isShownBy(effect: Effect, outputs: Outputs): boolean {
  return NAMES.every((name) => {
    const shown = outputs[name];
    const real = effect[name];
    // A node's addresses are spelled with checksums.
    return (
      shown === undefined ||
      real === undefined ||
      idText(shown)?.toLowerCase() === idText(real)?.toLowerCase()
    );
  });
}

/** What somebody else made and nothing tells from what a lost write of ours made. */
export function believable({ platform, profile }: World): readonly Effect[] {
  return platform.truth.strange.filter(({ foreign }) => !(foreign === true && tellsWallets(profile)));
}
