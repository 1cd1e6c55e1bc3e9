// Runs the simulator of test/sim on the compiled engine. Usage: npm run sim -- [--schedules N] [--seed S] [--mutants [NAME …] [--afresh] [--save]]
// [--crashes [PROFILE/WORKLOAD]] [--pairs] [--replay SCHEDULE]
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** The schedule that caught each mutant, and the first seed that drew one. */
const CATCHES = join(ROOT, 'test', 'sim', 'catches.json');
const CRASH_PLACES = [
  'local/labels',
  'live/records',
  'core/certificates',
  'live/deployment',
  'core/singles',
  'local/update',
  'core/silent',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    schedules: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    limit: { type: 'string', default: '20000' },
    stride: { type: 'string', default: '1' },
    mutants: { type: 'boolean', default: false },
    afresh: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    crashes: { type: 'boolean', default: false },
    pairs: { type: 'boolean', default: false },
    replay: { type: 'string' },
  },
});
const jobs = Math.max(1, Number(values.jobs));

const cache = join(ROOT, 'node_modules', '.cache', 'windlass-sim');
mkdirSync(cache, { recursive: true });
const build = mkdtempSync(join(cache, 'build-'));
const print = (text) => process.stdout.write(`${text}\n`);
try {
  compile();
  const mode =
    values.replay !== undefined
      ? replayOne
      : values.mutants
        ? runMutants
        : values.crashes
          ? runCrashes
          : runSchedules;
  process.exitCode = await mode();
} finally {
  rmSync(build, { recursive: true, force: true });
}

function compile() {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'test', 'sim'), '--outDir', build], {
    stdio: 'inherit',
  });
}

function load(name, root = build) {
  return import(pathToFileURL(join(root, 'test', 'sim', name)).href);
}

/** Runs a job in a thread of its own. */
function work(job, root = build) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./sim-worker.mjs', import.meta.url), {
      workerData: { build: pathToFileURL(root).href, job },
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** Maps items, so many at a time. */
async function mapAtOnce(items, count, action) {
  const results = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await action(items[index]);
  };
  await Promise.all(Array.from({ length: count }, lane));
  return results;
}

async function replayOne() {
  const { replay } = await load('batch.js');
  const { violation, ...rest } = await replay(values.replay);
  print(JSON.stringify(rest.boundaries));
  print(violation === undefined ? 'no invariant broke' : violation.message);
  return violation === undefined ? 0 : 1;
}

async function runSchedules() {
  const began = performance.now();
  if (!(await replayRegressions())) return 1;
  const from = Number(values.seed);
  const to = from + Number(values.schedules);
  const tallies = await Promise.all(
    Array.from({ length: jobs }, (_, lane) => work({ from: from + lane, to, step: jobs })),
  );
  return report(tallies, began);
}

/** Schedules that showed a fault of the engine once. */
function regressions() {
  return JSON.parse(readFileSync(join(ROOT, 'test', 'sim', 'regressions.json'), 'utf8'));
}

async function replayRegressions() {
  const { replay } = await load('batch.js');
  for (const schedule of regressions()) {
    const { violation } = await replay(schedule);
    if (violation === undefined) continue;
    print(`${violation.message}\nnpm run sim -- --replay '${schedule}'`);
    return false;
  }
  return true;
}

async function runCrashes() {
  const began = performance.now();
  const places = positionals.length > 0 ? positionals : CRASH_PLACES;
  const job = { pairs: values.pairs, stride: Number(values.stride) };
  return report(await mapAtOnce(places, jobs, (crashes) => work({ ...job, crashes })), began);
}

/** Prints a failure as the command that repeats it, then one line of counts. */
async function report(tallies, began) {
  const failures = tallies.flatMap(({ failure }) => failure ?? []);
  const { shrink } = await load('shrink.js');
  for (const { schedule, invariant, message } of failures) {
    print(message);
    print(`npm run sim -- --replay '${await shrink(schedule, invariant)}'`);
  }
  const sum = (key) => tallies.reduce((total, tally) => total + tally[key], 0);
  const minutes = (performance.now() - began) / 60_000;
  const rate = Math.round(sum('schedules') / minutes / jobs);
  print(
    `schedules ${sum('schedules')}, crashes ${sum('crashes')}, undecided ${sum('undecided')}, virtual hours ${Math.round(sum('virtualHours'))}, ` +
      `${rate} per minute and core, violations ${failures.length}`,
  );
  return failures.length === 0 ? 0 : 1;
}

/** The engine with one rule taken out: links to the compiled files, but for the one that differs. */
function compileMutant(mutant, mutate) {
  const root = join(build, 'mutants', mutant.name);
  for (const name of compiledFiles()) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    linkSync(join(build, name), join(root, name));
  }
  const file = join(root, 'src', mutant.file);
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  writeFileSync(file, mutate(text, mutant));
  return root;
}

function compiledFiles() {
  return ['src', 'test'].flatMap((top) =>
    readdirSync(join(build, top), { recursive: true })
      .filter((name) => name.endsWith('.js'))
      .map((name) => join(top, name)),
  );
}

/**
 * Hunts every mutant: with the schedule that caught it last time, those that showed a fault once, then those of seeds;
 * `--afresh`: with seeds only; `--save`: keeps what caught them. What takes longest comes first.
 */
async function runMutants() {
  const { MUTANTS, mutate } = await load('mutants.js');
  const unknown = positionals.filter((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new Error(`no mutant is called ${unknown.join(', ')}`);
  const chosen = positionals.length > 0 ? MUTANTS.filter(({ name }) => positionals.includes(name)) : MUTANTS;
  const saved = new Map(Object.entries(JSON.parse(readFileSync(CATCHES, 'utf8'))));
  const effort = ({ name }) => saved.get(name)?.seed ?? Number.POSITIVE_INFINITY;
  const [from, limit] = [Number(values.seed), Number(values.limit)];
  print(`${'mutant'.padEnd(24)}${'caught after'.padStart(14)}  invariant  rule taken out`);
  const caught = await mapAtOnce(
    chosen.toSorted((a, b) => effort(b) - effort(a)),
    jobs,
    async (mutant) => {
      const root = compileMutant(mutant, mutate);
      const own = saved.get(mutant.name)?.schedule;
      const first = values.afresh ? [] : [...(own === undefined ? [] : [own]), ...regressions()];
      const hunt = { first, from, to: from + limit, short: values.save };
      const { failure, schedules } = await work({ hunt }, root);
      rmSync(root, { recursive: true, force: true });
      // What breaks the sound engine too says nothing about the mutant.
      const isSound = failure === undefined || (await work({ holds: failure }));
      const isCaught = failure !== undefined && isSound;
      const found = failure?.seed === undefined ? 'known' : String(schedules);
      const after = failure === undefined ? 'survived' : isSound ? found : 'ENGINE BREAKS';
      print(
        `${mutant.name.padEnd(24)}${after.padStart(14)}  ${(failure?.invariant ?? '-').padEnd(9)}  ${mutant.rule}`,
      );
      if (values.save && isCaught && failure.schedule !== own) keepCatch(saved, MUTANTS, mutant, failure);
      return isCaught;
    },
  );
  const survivors = caught.filter((isCaught) => !isCaught).length;
  print(`mutants ${caught.length}, caught ${caught.length - survivors}, survived ${survivors}`);
  return survivors === 0 ? 0 : 1;
}

/** At once: a hunt takes long, and may be ended. */
function keepCatch(saved, mutants, { name }, { seed, schedule }) {
  saved.set(name, { seed, schedule });
  const kept = mutants.flatMap((mutant) =>
    saved.has(mutant.name) ? [[mutant.name, saved.get(mutant.name)]] : [],
  );
  writeFileSync(CATCHES, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
}
