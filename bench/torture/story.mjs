import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from './chance.mjs';
import { isRunning, isStopped, run, signal, until } from './commands.mjs';
import { journalSize, lockEntries, platformPorts, platformProcess } from './folder.mjs';
import {
  answers,
  begin,
  clear,
  expectCode,
  newPlace,
  newTale,
  noneLeft,
  note,
  sound,
  undecidedSteps,
} from './place.mjs';
import { killListener } from './listening.mjs';
import { comparable, faultsOf, readTruth } from './verdict.mjs';

/** Applies that a disturbed release may need until it is settled. */
const MAX_APPLIES = 4;

const PLACES = [
  'journal.append',
  'journal.synced',
  'token.issue',
  'request.sent',
  'request.answered',
  'callback.received',
  'callback.recorded',
  'lockfile.write',
];
const ACTIONS = ['sigkill', 'exit', 'enospc', 'sigstop'];
/** Places that a run passes once or twice. */
const RARE = new Set(['token.issue', 'lockfile.write']);
const FULL_DISK = new Set(['journal.append', 'token.issue', 'lockfile.write']);

/**
 * The failpoints of a story: the stories of eight seeds begin at each place once, the next eight at its second time,
 * then ever later; more follow at random places, so that what resumes is disturbed too.
 */
function failpointsOf(seed) {
  const chances = chance(seed);
  const round = Math.floor(seed / PLACES.length);
  const first = { place: PLACES[seed % PLACES.length], count: round < 4 ? round + 1 : 1 + chances.whole(60) };
  const more = Array.from({ length: 3 }, () => ({
    place: chances.pick(PLACES),
    count: 1 + chances.whole(12),
  }));
  return [first, ...more].map(({ place, count }, index) => {
    const actions = ACTIONS.filter((action) => action !== 'enospc' || FULL_DISK.has(place));
    const action = index === 0 && round % 2 === 0 ? 'sigkill' : chances.pick(actions);
    return `${place}:${RARE.has(place) ? 1 + (count % 2) : count}=${action}`;
  });
}

/** An undisturbed release: what all others must end with, how long it takes, and how large its journal grows. */
export async function undisturbed() {
  const place = newPlace();
  try {
    await sound(place, ['platform', 'start', '--detach']);
    const began = performance.now();
    await sound(place, ['apply', '--yes']);
    const tookMs = performance.now() - began;
    const size = journalSize(place.cwd);
    const truth = await readTruth(place.cwd);
    const faults = faultsOf(place.cwd, truth, { undecided: [] });
    if (faults.length > 0) throw new Error(`the undisturbed release is wrong:\n${faults.join('\n')}`);
    return { tookMs, size, lock: comparable(lockEntries(place.cwd)) };
  } finally {
    await clear(place);
  }
}

/**
 * Tells one story: a release that is disturbed as its kind and seed say, then settled and held to its promises.
 *
 * @param kind `cli`, `failpoints`, `listener` or `platform`
 * @returns what was done, what was wrong (nothing when all held), and how many steps stayed undecided
 */
export async function tell({ kind, seed, reference }) {
  const place = newPlace();
  const tale = newTale(kind, seed);
  try {
    const disturbed = await disturb[kind](place, tale, reference);
    await settle(place, tale, reference.lock, disturbed?.end);
  } catch (thrown) {
    tale.faults.push(thrown.message);
  }
  const left = await clear(place, tale.faults.length > 0);
  if (left.length > 0) tale.faults.push(`processes were left: ${left.join(' ')}`);
  return { ...tale, folder: place.cwd };
}

const disturb = {
  /** Kills the command at random moments: beside a platform, or with the platform that it started itself. */
  cli: async (place, tale, reference) => {
    const chances = chance(tale.seed);
    const own = chances.number(1) < 0.3;
    if (!own) await sound(place, ['platform', 'start', '--detach']);
    tale.log.push(own ? 'its own platform' : 'beside a platform');
    for (let left = 2 + chances.whole(5); left > 0; left -= 1) {
      const apply = begin(place);
      await moment(place, apply, chances, reference);
      if (apply.isOver()) return note(tale, await apply.ended);
      signal(apply.pid, 'SIGKILL');
      tale.kills.cli += 1;
      note(tale, await apply.ended);
    }
    if (own) await noneLeft(place);
  },

  /** Kills the platform under a running command; it comes back at once, or after the command gave up, or both die. */
  platform: async (place, tale, reference) => {
    const chances = chance(tale.seed);
    for (let left = 1 + chances.whole(4); left > 0; left -= 1) {
      await sound(place, ['platform', 'start', '--detach']);
      const apply = begin(place);
      await moment(place, apply, chances, reference);
      if (apply.isOver()) return note(tale, await apply.ended);
      const victim = platformProcess(place.cwd);
      const { api } = platformPorts(place.cwd);
      signal(victim, 'SIGKILL');
      tale.kills.platform += 1;
      await until(() => !isRunning(victim), 5000, 5);
      const then = chances.pick(['back at once', 'back later', 'both die']);
      tale.log.push(`platform killed, ${then}`);
      if (then === 'both die') {
        signal(apply.pid, 'SIGKILL');
        tale.kills.cli += 1;
      }
      // Either may see no platform first, begin one of its own, and so keep the other from it.
      const back = then === 'back at once' ? await run(['platform', 'start', '--detach'], place) : undefined;
      if (back !== undefined && back.code !== 0 && !/PLATFORM_RUNNING/.test(back.output))
        expectCode(back, [0]);
      if (back?.code === 0 && platformPorts(place.cwd).api !== api)
        tale.faults.push(`the platform came back at another address than ${api}`);
      const ended = note(tale, await apply.ended);
      if (then !== 'both die') expectCode(ended, [0, 5, 7, 8]);
      if (ended.code === 0) return;
      if (back?.code === 0 && left > 1) await sound(place, ['platform', 'stop']);
    }
  },

  /** Kills the listener; the one that came back goes on while the release is settled. */
  listener: (place, tale, reference) =>
    killListener(place, tale, (apply, chances) => moment(place, apply, chances, reference)),

  /** Lets the command fail at named places, one after the other. */
  failpoints: async (place, tale) => {
    await sound(place, ['platform', 'start', '--detach']);
    for (const failpoint of failpointsOf(tale.seed)) {
      tale.log.push(failpoint);
      const ended = await fail(place, tale, failpoint);
      if (ended.code === 0) return;
    }
  },
};

/** Runs into one failpoint. A stopped run holds its lock: another must refuse, then it goes on. */
async function fail(place, tale, failpoint) {
  const apply = begin(place, { WINDLASS_FAILPOINT: failpoint });
  if (!failpoint.endsWith('sigstop')) {
    const ended = note(tale, await apply.ended);
    if (ended.code !== 0) tale.kills.failpoints += 1;
    return ended;
  }
  await until(() => apply.isOver() || isStopped(apply.pid), 60_000, 10);
  if (!apply.isOver()) {
    tale.kills.failpoints += 1;
    expectCode(note(tale, await run(['apply', '--yes'], place)), [5]);
    signal(apply.pid, 'SIGCONT');
  }
  const ended = note(tale, await apply.ended);
  expectCode(ended, [0, 7, 8]);
  return ended;
}

/** Applies until nothing is left to do, or until the same steps stay undecided; then checks everything. */
async function settle(place, tale, reference, end = async () => undefined) {
  if (platformProcess(place.cwd) === undefined || !(await answers(place)))
    await sound(place, ['platform', 'start', '--detach']);
  let ended;
  for (let tries = 0; tries < MAX_APPLIES && ended?.code !== 0; tries += 1) {
    ended = note(tale, await run(['apply', '--yes'], place));
    expectCode(ended, tries + 1 < MAX_APPLIES ? [0, 7, 8] : [0, 8]);
  }
  const undecided = ended.code === 8 ? await undecidedSteps(place) : [];
  if (ended.code === 8 && undecided.length === 0)
    tale.faults.push('exit 8, but status names no undecided step');
  tale.undecided = undecided.length;
  await end();
  const truth = await readTruth(place.cwd);
  tale.faults.push(...faultsOf(place.cwd, truth, { undecided, reference }));
  if (undecided.length > 0) return;
  await sound(place, ['verify']);
  await sound(place, ['plan', '--detailed-exitcode']);
}

/** Waits for a random moment of a release: by its progress, as its journal shows it, or by the clock. */
async function moment(place, apply, chances, { tookMs, size }) {
  if (chances.number(1) < 0.25) return void (await until(() => apply.isOver(), chances.number(tookMs)));
  const now = journalSize(place.cwd);
  const bytes = now + chances.number(Math.max(0, size - now));
  await until(() => apply.isOver() || journalSize(place.cwd) >= bytes, 60_000, 1);
  await sleep(chances.number(1) < 0.5 ? 0 : chances.number(40));
}
