// npm run torture -- --kills N [--seed S] [--only KIND] [--jobs J]: real processes (the command, the listener, the
// embedded platform), killed with SIGKILL at random moments and at named failpoints, or parted by a proxy; then the platform's ground truth is asked how often each step took
// effect. Ends with one line of counts; exit 0 only when all held. Folders of failed stories are kept.
// Ctrl-C ends it after the stories in hand, which tidy up behind themselves.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { tellProxied } from './torture/proxied.mjs';
import { tell, undisturbed } from './torture/story.mjs';

const KINDS = ['cli', 'listener', 'platform', 'failpoints', 'proxy'];

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    jobs: { type: 'string', default: String(Math.max(2, availableParallelism())) },
  },
});
const wanted = Number(values.kills);
const first = Number(values.seed);
const kinds = values.only === undefined ? KINDS : [values.only];
if (!(wanted > 0) || !Number.isInteger(first) || kinds.some((kind) => !KINDS.includes(kind))) {
  process.stderr.write(
    `usage: npm run torture -- --kills N [--seed S] [--only ${KINDS.join('|')}] [--jobs J]\n`,
  );
  process.exit(3);
}

const began = performance.now();
const counts = { stories: 0, undecided: 0, failed: 0, disturbed: 0 };
const kills = { cli: 0, listener: 0, platform: 0, failpoints: 0 };
/** A proxy kills nothing: alone, its disturbed requests are what is asked for. */
const done = () =>
  kinds.some((kind) => kind !== 'proxy')
    ? Object.values(kills).reduce((sum, count) => sum + count, 0)
    : counts.disturbed;
const reference = await undisturbed();
let told = 0;
let stopping = false;
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => (stopping = true));

async function work() {
  while (!stopping && done() < wanted && told < wanted * 3) {
    const kind = kinds[told % kinds.length];
    const seed = first + Math.floor(told / kinds.length);
    told += 1;
    report(await (kind === 'proxy' ? tellProxied({ seed }) : tell({ kind, seed, reference })));
  }
}

function report({ kind, seed, kills: made, disturbed, undecided, faults, log, folder }) {
  counts.stories += 1;
  for (const [name, count] of Object.entries(made)) kills[name] += count;
  counts.disturbed += disturbed;
  counts.undecided += undecided;
  const story = `${kind} ${seed}: ${log.join(', ')}`;
  if (faults.length === 0) return void process.stdout.write(`held    ${story}\n`);
  counts.failed += 1;
  const replay = `npm run torture -- --only ${kind} --seed ${seed} --kills 1`;
  process.stdout.write(
    `FAILED  ${story}\n  ${faults.slice(0, 8).join('\n  ')}\n  again:  ${replay}\n  kept:   ${folder}\n`,
  );
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work));
const seconds = Math.round((performance.now() - began) / 1000);
const byKind = Object.entries(kills).map(([name, count]) => `${name} ${count}`);
process.stdout.write(
  `torture: ${Object.values(kills).reduce((sum, count) => sum + count, 0)} kills (${byKind.join(', ')}), ` +
    `${counts.disturbed} requests disturbed, in ${counts.stories} stories, ${counts.failed} failed, ` +
    `${counts.undecided} steps undecided, ${seconds} s\n`,
);
process.exit(counts.failed === 0 && done() > 0 ? 0 : 1);
