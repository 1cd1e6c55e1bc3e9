import { permutations } from './permutations.js';
import { operationNamed } from '../../src/kinds/registry.js';
import { kindOf } from '../../src/model/id.js';
import { isJsonObject } from '../../src/model/json.js';
import { canonicalJson } from '../../src/model/canonical.js';
import { Claims } from '../../src/execute/claims.js';
import { knownOf, look } from '../../src/execute/look.js';
import { isOpen, type Attempt } from '../../src/state/attempt.js';
import type { JournalEvent } from '../../src/state/event.js';
import type { LineageState } from '../../src/state/project.js';
import { FAULTS, type Decision } from './decisions.js';
import { groupsOf } from './groups.js';
import { serviceFor } from './network.js';
import { PATHS } from './place.js';
import { abilitiesOf, SimProcess, type Outcome } from './process.js';
import { isOwn, tellsWallets } from './profiles.js';
import { checkProven } from './proven.js';
import type { World } from './world.js';

/** How a story ended. */
export interface End {
  readonly state: LineageState;
  readonly events: readonly JournalEvent[];
  readonly last: Outcome;
}

/** L1–L3, S4–S7, S16 of a story that is over. @returns how many attempts are undecided */
export async function checkEnd(world: World, end: End): Promise<number> {
  const { state } = end;
  checkProven(world, state);
  checkSecrets(world);
  await checkOrder(world, state);
  const open = [...state.attempts.values()].filter(isOpen);
  for (const attempt of open) checkUndecided(world, attempt, state);
  checkProgress(world, end, open);
  checkTold(world, state);
  return open.length;
}

/** L1, L2: without a reason to stop, everything is confirmed. */
function checkProgress(world: World, { state, last }: End, open: readonly Attempt[]): void {
  const missing = [...groupsOf(world.plan).members.values()]
    .flat()
    .filter((id) => state.lock?.entries.has(id) !== true);
  const ended = last.type === 'idle' || (last.type === 'ran' && last.result.result === 'done');
  const done = ended && missing.length === 0;
  const isFaultless = world.decisions.taken.length === 0;
  const name = isFaultless ? 'L1' : 'L2';
  const what = `${missing.join(', ')} not confirmed, the last run ${JSON.stringify(last)}`;
  const stopped = open.length > 0 || isLeftToPeople(state);
  world.check(done || (stopped && !isFaultless), name, () => what);
}

/** True when a sign of an effect came late and nothing else is known of the step: a person says what becomes of it. */
function isLeftToPeople(state: LineageState): boolean {
  return state.unprovenAttempts.some(
    ({ contradicted, resources }) =>
      contradicted !== undefined && resources.some((id) => state.lock?.entries.has(id) !== true),
  );
}

/** L2, L3: a step stays undecided only for a reason, and only while no read shows its effect. */
function checkUndecided(world: World, attempt: Attempt, state: LineageState): void {
  const unclear = attempt.answered?.outcome !== 'accepted';
  // A callback that found nobody, or a read that failed when it mattered, is a reason too.
  const isTroubled =
    world.troubled.size > 0 ||
    world.crashes > 0 ||
    world.decisions.taken.some(
      ({ stream }) => stream === 'read' || stream === 'process' || stream === 'disk',
    );
  // Where only callbacks tell, none tells a failure for certain: a person decides. No read shows that an audit contract
  // was not made, because the answer to its creation names no transaction.
  const isNameless = attempt.operation === 'audit-contract.create';
  // Nothing calls back about what was signed here, and no read shows an error that is the one before.
  const isSigned = isJsonObject(attempt.before) && attempt.before['predicted'] !== undefined;
  const isShown = attempt.resources.every((id) => isReadable(world, attempt, id));
  const isToldOnly = isNameless || isSigned || !isShown;
  const isFailed = isToldOnly && world.decisions.taken.some(isRevert);
  world.check(
    unclear || isTroubled || isFailed || isBeclouded(world, attempt),
    'L3',
    () => `${attempt.step} is undecided although it was accepted and nothing was lost`,
  );
  checkFound(world, attempt, state);
}

/** S2, L3: what the network doubled is told, where a read shows it; and nothing else is called a second effect. */
function checkTold(world: World, state: LineageState): void {
  for (const [group, members] of groupsOf(world.plan).members) {
    const [id] = members;
    if (id === undefined || members.length > 1) continue;
    const attempts = [...state.attempts.values()].filter(({ resources }) => resources.includes(id));
    const [last, count] = [attempts.at(-1), world.platform.truth.of(group).length];
    const told = attempts.filter((attempt) => attempt.contradicted === 'duplicate' || isOpen(attempt));
    // While a step waits for a person, lists that lagged are not read again; the idle apply after it reads all of them.
    const missed = count > 1 && told.length === 0 && state.openAttempts.length === 0;
    if (last !== undefined && isReadable(world, last, id) && isShownInTime(world, last))
      world.check(!missed, 'S2', () => `${group} happened ${count} times, and nobody is told`);
    const invented = told.filter(({ contradicted }) => contradicted === 'duplicate');
    world.check(
      count > 1 || !isHonest(world) || invented.length === 0,
      'L3',
      () => `${invented[0]?.step} is told to be double, but ${group} happened ${count} times`,
    );
  }
}

/** Nobody repeated, forged or copied anything. */
function isHonest(world: World): boolean {
  return (
    world.repeats === 0 &&
    !world.forged &&
    world.troubled.size === 0 &&
    !isTwinned(world) &&
    !mayBeNeighbours(world)
  );
}

/** True when somebody else deployed the same, and nothing here tells that another wallet did: or a read that would have, failed. */
function mayBeNeighbours(world: World): boolean {
  if (hasNeighbours(world) && world.decisions.taken.some(({ stream }) => stream === 'read')) return true;
  const values = world.decisions.taken
    .filter(({ stream }) => stream === 'neighbour')
    .map(({ value }) => value);
  return values.some((value) => FAULTS.neighbour[value] === 'same-wallet' || !tellsWallets(world.profile));
}

function hasNeighbours({ decisions }: World): boolean {
  return decisions.taken.some(({ stream }) => stream === 'neighbour');
}

/** What no mark of our own tells from the work of others is looked for once: lists that lag or fail then do not show it. */
function isShownInTime({ decisions }: World, { before }: Attempt): boolean {
  const isMarked = typeof before === 'object' && before !== null && !('before' in before);
  return (
    isMarked || decisions.taken.every(({ stream }) => !['index', 'disk', 'read', 'process'].includes(stream))
  );
}

function isRevert({ stream, value }: Decision): boolean {
  return stream === 'write' && FAULTS.write[value] === 'reverted';
}

/** True when a stranger did the same: what reads show may then be anybody's. */
function isTwinned({ decisions }: World): boolean {
  return decisions.taken.some(({ stream }) => stream === 'twin');
}

function isUnsigned({ stream, value }: Decision): boolean {
  return stream === 'process' && FAULTS.process[value] === 'unsigned';
}

/** True for what may have been given another one's answer, in which nothing belongs to one alone. */
function isMisled({ decisions, profile }: World, { operation }: Attempt): boolean {
  const isAstray = ({ stream, value }: Decision): boolean =>
    stream === 'write' && FAULTS.write[value]?.startsWith('astray') === true;
  if (isOwn(profile) && !decisions.taken.some(isUnsigned)) return false;
  return operation === 'audit-contract.create' && decisions.taken.some(isAstray);
}

/** True where nothing tells which of several things is the step's own: only a person can say. */
function isBeclouded(world: World, attempt: Attempt): boolean {
  const isBeside = attempt.operation === 'contract.deploy' && hasNeighbours(world);
  return isTwinned(world) || isBeside || world.repeats > 0 || isMisled(world, attempt);
}

/** L2 */
function checkFound(world: World, attempt: Attempt, state: LineageState): void {
  if (isBeclouded(world, attempt)) return;
  for (const id of attempt.resources) {
    const group = groupsOf(world.plan).of(id);
    const members = group === undefined ? [] : (groupsOf(world.plan).members.get(group) ?? []);
    if (group === undefined || members.length > 1 || !isReadable(world, attempt, id)) continue;
    const shown = world.platform.truth.of(group).length > 0 && state.lock?.entries.has(id) !== true;
    world.check(!shown, 'L2', () => `${attempt.step} is undecided although reads show its effect`);
  }
}

/** True when reads of this environment would show a lost attempt's effect. */
function isReadable({ profile }: World, { before, resources }: Attempt, id: string): boolean {
  const image = isJsonObject(before) ? before : {};
  if (image['before'] === null) return false;
  const kind = kindOf(id as Attempt['resources'][number]);
  // Code at the address that a signed creation gets.
  const shows = image['predicted'] === undefined ? profile.capabilities.includes('instances') : profile.chain;
  if (kind === 'contract') return resources.length === 1 && shows === true;
  if (kind === 'audit-record' || kind === 'certificate' || kind === 'transfer' || kind === 'version')
    return true;
  return profile.capabilities.includes('lists');
}

/** S16: no secret and nothing personal stands in any file but that of the tokens. */
function checkSecrets(world: World): void {
  for (const path of world.disk.files().filter((name) => name !== PATHS.tokens)) {
    const text = world.disk.bytes(path)?.toString('latin1') ?? '';
    world.check(!text.includes('900101-14-5678'), 'S16', () => `${path} holds personal data`);
    const leaked = world.leaked.find((token) => text.includes(token));
    world.check(leaked === undefined, 'S16', () => `${path} holds a callback token`);
  }
}

/** S7: in whatever order callbacks came, and however often, they say the same. */
async function checkOrder(world: World, state: LineageState): Promise<void> {
  const process = new SimProcess(world);
  const service = serviceFor(world, process);
  const abilities = abilitiesOf(world);
  const recorder = { state, claims: new Claims(state) };
  for (const attempt of state.attempts.values()) {
    if (attempt.evidence.length < 2 || operationNamed(attempt.operation) === undefined) continue;
    const seen = new Set<string>();
    for (const evidence of permutations(attempt.evidence.slice(0, 4))) {
      const shuffled = { ...attempt, evidence: [...evidence, ...evidence.slice(0, 1)] };
      const known = knownOf(shuffled, true, recorder);
      const { verdict } = await look(shuffled, known.late, { recorder, abilities, service });
      seen.add(verdict.type === 'confirmed' ? canonicalJson(verdict.outputs) : verdict.type);
    }
    // What only callbacks prove is the word of whoever spoke first when they contradict each other.
    const onlyCallbacks =
      attempt.settled?.grade === 'C' ||
      (world.forged && !isReadable(world, attempt, attempt.resources[0] ?? ''));
    world.check(
      seen.size === 1 || onlyCallbacks || world.repeats > 0,
      'S7',
      () => `${attempt.step} is ${[...seen].join(' or ')}, by the order of its callbacks`,
    );
  }
  process.die('kill');
  world.crashes -= 1;
}
