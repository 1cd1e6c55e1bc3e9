import type { Json, JsonObject } from '../../src/model/json.js';
import { canonicalJson, digestOf } from '../../src/model/canonical.js';
import { preview } from '../../src/engine.js';
import { LineageState } from '../../src/state/project.js';
import { formatLock } from '../../src/state/lockfile-text.js';
import { formatDecisions, type Decision, type Fault } from './decisions.js';
import { checkEnd } from './end-checks.js';
import { serviceFor } from './network.js';
import { PATHS, TARGET } from './place.js';
import { isOwn } from './profiles.js';
import { abilitiesOf, SimProcess, type Outcome } from './process.js';
import { groupsOf } from './groups.js';
import { planFor } from './workloads.js';
import { World, Violation, type Scenario } from './world.js';

/** What one schedule came to. */
export interface Verdict {
  readonly violation?: { readonly invariant: string; readonly message: string };
  /** Every decision that was not the default; they repeat the run. */
  readonly taken: readonly Decision[];
  readonly crashes: number;
  readonly virtualMs: number;
  readonly undecided: number;
  /** Boundaries of the disk, of writes and of reads, for crash enumeration. */
  readonly boundaries: { readonly disk: number; readonly write: number; readonly read: number };
}

const HOUR_MS = 3_600_000;
/** A clock that is put right before the next run, or while this one's first request is under way; far ahead: longer than anything is waited for. */
const AHEAD_MS = new Map<string, number>([
  ['clock-ahead', HOUR_MS / 20],
  ['clock-far-ahead', 2 * HOUR_MS],
  ['clock-put-back', HOUR_MS / 20],
]);
const FAULTY_BOOTS = 6;
const SOUND_BOOTS = 8;

/** Runs one schedule: releases under faults, then without, and holds everything to the invariants. */
export async function simulate(scenario: Scenario): Promise<Verdict> {
  const plan = planFor(scenario.workload.resources, scenario.profile);
  const world = new World(scenario, plan);
  let undecided = 0;
  try {
    await world.time.run(Promise.race([story(world).then((count) => (undecided = count)), world.failed]));
  } catch (thrown) {
    if (!(thrown instanceof Violation)) world.violation ??= crashOf(thrown);
  }
  const { violation, decisions, crashes, time } = world;
  return {
    ...(violation && { violation: { invariant: violation.invariant, message: violation.message } }),
    taken: decisions.taken,
    crashes,
    virtualMs: time.elapsedMs,
    undecided,
    boundaries: {
      disk: decisions.count('disk'),
      write: decisions.count('write'),
      read: decisions.count('read'),
    },
  };
}

/** A schedule as text that repeats it. */
export function formatSchedule(
  { profile, workload }: Pick<Scenario, 'profile' | 'workload'>,
  decisions: readonly Decision[],
): string {
  return `${profile.name}/${workload.name} ${formatDecisions(decisions)}`.trim();
}

/** A schedule of which something threw or hung: the engine must do neither. */
function crashOf(thrown: unknown): Violation {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return new Violation('L4', text);
}

async function story(world: World): Promise<number> {
  seed(world);
  world.decisions.faulty = false;
  if (world.workload.earlier !== undefined) await prelude(world);
  world.decisions.faulty = true;
  for (let boots = 0; boots < FAULTY_BOOTS; boots += 1) {
    const outcome = await boot(world);
    await world.time.pass(1_000);
    if (outcome.type === 'idle') break;
  }
  world.decisions.faulty = false;
  await settle(world);
  // What the service began late is over by now, and so is what attackers and late callbacks say.
  await world.time.pass(3 * HOUR_MS);
  const last = await settle(world);
  await checkPreview(world);
  const journal = world.disk.bytes(PATHS.journal) ?? Buffer.alloc(0);
  const { events } = world.journal.decoded(journal);
  const state = new LineageState(events);
  const lockfile = world.disk.bytes(PATHS.lockfile)?.toString();
  world.check(
    state.lock !== undefined && formatLock(state.lock).main === lockfile,
    'S11',
    () => 'the lockfile is not what the journal amounts to',
  );
  return checkEnd(world, { state, events, last });
}

/** What was there before: a project where none can be created. */
function seed({ platform, profile }: World): void {
  const [theirs, name] = [`0x${'ee'.repeat(20)}`, 'release'];
  const listed = (table: string, fields: JsonObject): number =>
    platform.rows(table).push({ fields: { ...fields }, visibleMs: 0 });
  // Names are not unique: what others have must not be taken for an effect of ours.
  // Labels are switched off, because one in use would be adopted and not made.
  listed('audit.category.list', { id: 9_001, name, is_active: 0 });
  listed('audit.tag.list', { id: 9_002, name: 'v1', is_active: 0 });
  listed('wallet.list', { address: theirs, name: 'bob' });
  listed('audit.contract.list', {
    contract_address: theirs,
    contract_name: 'releases',
    transactionHash: '0x1',
  });
  listed('certificate.contract.list', {
    contract_address: theirs,
    contract_name: 'diplomas nickname',
    transactionHash: '0x2',
  });
  if (profile.capabilities.includes('projects')) return;
  platform
    .rows('project.list')
    .push({ fields: { slug: 'registry', project_name: 'registry' }, visibleMs: 0 });
  platform.truth.add({ group: 'project:registry', slug: 'registry' });
}

/** Releases what the workload starts from. */
async function prelude(world: World): Promise<void> {
  const { plan } = world;
  world.plan = planFor(world.workload.earlier ?? [], world.profile);
  await boot(world);
  world.plan = plan;
  world.confirmed.clear();
  groupsOf(plan);
}

/** Runs until nothing more is done; every run ends. */
async function settle(world: World): Promise<Outcome> {
  let quiet = 0;
  for (let boots = 0; boots < SOUND_BOOTS; boots += 1) {
    const { writes } = world;
    const outcome = await boot(world);
    quiet = outcome.type !== 'refused' && writes === world.writes ? quiet + 1 : 0;
    // A run may only find out that a refusal counts; the next one sends again.
    if (outcome.type === 'idle' || quiet > 1) return outcome;
    // Longer than the lists lag behind: until then what is locked may seem to be gone, and everything is blocked.
    await world.time.pass(60_000);
  }
  world.violate('L4', `after ${SOUND_BOOTS} runs without faults there is still something to write`);
  return { type: 'died' };
}

/** What a fault does to the surroundings of a process. */
function befall(world: World, fault: Fault<'process'>): void {
  world.time.aheadMs = AHEAD_MS.get(fault) ?? 0;
  world.time.aheads += world.time.aheadMs > 0 ? 1 : 0;
  world.isUnsigned = fault === 'unsigned' && isOwn(world.profile);
  world.isClockPutBack = fault === 'clock-put-back';
}

async function boot(world: World): Promise<Outcome> {
  const fault = world.decisions.next('process');
  if (fault === 'wrong-target') await checkWrongTarget(world);
  befall(world, fault);
  const process = new SimProcess(world);
  if (fault === 'stop') world.time.after(40, () => process.stop());
  if (fault === 'frozen') world.time.after(15, () => process.freeze(HOUR_MS));
  const running = process.run();
  if (fault === 'second-engine' || fault === 'frozen') {
    await world.time.pass(30);
    await new SimProcess(world).run();
  }
  const outcome = await running;
  world.time.aheadMs = 0;
  world.isUnsigned = false;
  // A person frees the lock of a run that died and cannot be asked about.
  if (outcome.type === 'refused' && outcome.code === 'RUN_LOCKED')
    for (const path of [PATHS.runLock, `${PATHS.runLock}.takeover`]) world.disk.remove(path);
  world.holder = undefined;
  world.journal.atRest(world.disk.bytes(PATHS.journal), world.disk.bytes(PATHS.lockfile));
  const unexpected = outcome.type === 'refused' && !EXPECTED.has(outcome.code);
  world.check(!unexpected, 'L4', () => `a run ended with ${outcome.type === 'refused' ? outcome.code : ''}`);
  return outcome;
}

/** Ways in which a run may end without a result; the next one goes on. */
const EXPECTED: ReadonlySet<string> = new Set([
  'CHANGE_BLOCKED',
  'JOURNAL_WRITE',
  'STATE_WRITE',
  'REMOTE_UNREACHABLE',
  'RUN_LOCKED',
]);

/** S14: a run for another platform sends nothing. */
async function checkWrongTarget(world: World): Promise<void> {
  const begun =
    world.disk.bytes(PATHS.journal) !== undefined || world.disk.bytes(PATHS.lockfile) !== undefined;
  if (!begun) return;
  const writes = world.writes;
  const target = { ...TARGET, client: digestOf('another client') };
  const outcome = await new SimProcess(world, target).run();
  const refused = outcome.type === 'died' || outcome.type === 'refused';
  world.check(refused && world.writes === writes, 'S14', () => 'a run for another target is not refused');
}

/** S17: looking changes nothing and shows the same twice; offline, nothing is asked. */
async function checkPreview(world: World): Promise<void> {
  const { events } = world.journal.decoded(world.disk.bytes(PATHS.journal) ?? Buffer.alloc(0));
  const { writes, plan } = world;
  const process = new SimProcess(world);
  const service = serviceFor(world, process);
  const abilities = abilitiesOf(world);
  const look = (online: boolean): Promise<unknown> =>
    preview({ plan, state: new LineageState(events), abilities, service: online ? service : undefined });
  const first = canonicalJson((await look(true)) as Json);
  world.check(
    first === canonicalJson((await look(true)) as Json),
    'S17',
    () => 'two previews of one state differ',
  );
  const { reads } = world;
  await look(false);
  world.check(reads === world.reads, 'S17', () => 'an offline preview asks the service');
  world.check(world.writes === writes, 'S17', () => 'a preview writes');
  process.die('kill');
  world.crashes -= 1;
}
