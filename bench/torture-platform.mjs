// npm run torture:platform -- --kills N [--seed S] [--database postgres://…]: the platform alone, written to over raw
// HTTP by many clients and killed with SIGKILL at random moments; then answers, ground truth, callbacks and the chain
// are compared. Exit 0 only when all agree. Ctrl-C ends the kills and compares. The password of a database comes from WINDLASS_DATABASE_PASSWORD.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readChain } from './platform/chain-view.mjs';
import { clientOf, prepare, write } from './platform/load.mjs';
import { kill, startProcess } from './platform/process.mjs';
import { openReceiver } from './platform/receiver.mjs';
import { verdictOf } from './platform/verdict.mjs';
import { chance as chanceOf } from './torture/chance.mjs';

const CLIENTS = 12;

/** Writes that may wait for their callback at a time. */
const OWED_AT_ONCE = 200;

/** After the last kill everything settles within this time, in milliseconds. */
const SETTLE = 900_000;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string' },
  },
});
const wanted = Number(values.kills);
if (!(wanted > 0)) {
  process.stderr.write('usage: npm run torture:platform -- --kills N [--seed S] [--database postgres://…]\n');
  process.exit(3);
}

const folder = mkdtempSync(join(tmpdir(), 'torture-platform-'));
const seeded = chanceOf(Number(values.seed));
const chance = () => seeded.number(1);
const password = process.env.WINDLASS_DATABASE_PASSWORD;
const options = {
  dataDir: join(folder, 'data'),
  cacheDir: join(tmpdir(), 'windlass-test-cache'),
  bcryptCost: 4,
  truth: { port: 0 },
  ...(values.database && { database: { url: values.database, ...(password && { password }) } }),
};
const receiver = await openReceiver();
const sent = [];
const ready = [];
const state = { platform: await startProcess(options), stopping: false };
const world = await prepare(state.platform, receiver);
sent.push(...world.own);

/** Accepted writes that nobody was called back for yet. */
function owed() {
  return sent.filter(({ token, answer }) => answer?.status === 200 && !receiver.bodies.has(token)).length;
}

async function client() {
  while (!state.stopping) {
    const { platform } = state;
    // No more is owed than settles between two kills: the campaign looks for lost writes, not for a long queue.
    if (platform === undefined || owed() > OWED_AT_ONCE) await pause(10);
    else {
      const request = await write(clientOf(platform), { world, receiver, chance });
      sent.push(request);
      if (request.answer === undefined) await pause(20);
    }
  }
}

/** A random moment: after so many answers, and a little later; work that hangs is killed too. */
async function somewhere(count) {
  const latest = performance.now() + 5000;
  while (sent.length < count && performance.now() < latest) await pause(2);
  await pause(chance() * 40);
}

const began = performance.now();
const clients = Array.from({ length: CLIENTS }, client);
let kills = 0;
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => (state.enough = true));
for (; kills < wanted && !state.enough; kills += 1) {
  await somewhere(sent.length + 1 + Math.floor(chance() * 60));
  const { platform } = state;
  await kill(platform);
  state.platform = undefined;
  const next = await startProcess(options);
  ready.push(next.readyMs);
  state.platform = next;
  if (kills % 10 === 9) process.stderr.write(`${kills + 1} kills, ${sent.length} writes\n`);
}
state.stopping = true;
await Promise.all(clients);

const { platform } = state;
const effectsOf = async () => (await (await fetch(`${platform.truthUrl}/__truth/effects`)).json()).effects;
const end = performance.now() + SETTLE;
const pending = (effects) => effects.filter(({ state: now }) => now === 'pending').length;
let effects = await effectsOf();
const calm = async () => {
  const { body } = await clientOf(platform).get('/_platform/callbacks');
  return pending(effects) === 0 && body.result.every(({ state: now }) => now === 'delivered');
};
while (!(await calm()) && performance.now() < end) {
  await pause(200);
  effects = await effectsOf();
}
const { transactions: chain, blocks } = await readChain(platform.rpcUrl);
const faults = verdictOf({ sent, effects, callbacks: receiver.bodies, chain });
await kill(platform);
receiver.close();

const answered = sent.filter(({ answer }) => answer?.status === 200).length;
const lost = sent.filter(({ answer }) => answer === undefined).length;
const slowest = Math.round(Math.max(...ready));
const middle = Math.round(ready.toSorted((a, b) => a - b)[Math.floor(ready.length / 2)]);
for (const fault of faults.slice(0, 20)) process.stdout.write(`FAILED  ${fault}\n`);
process.stdout.write(
  `torture:platform: ${kills} kills, ${sent.length} writes (${answered} accepted, ${lost} without an answer), ` +
    `${effects.length} effects, ${chain.size} transactions in ${blocks} blocks, ` +
    `${[...receiver.bodies.values()].flat().length} callbacks, ${faults.length} disagreements; ` +
    `ready again in ${middle} ms (slowest ${slowest}), ${Math.round((performance.now() - began) / 1000)} s\n`,
);
if (faults.length === 0) rmSync(folder, { recursive: true });
else process.stdout.write(`kept: ${folder}\n`);
process.exit(faults.length === 0 ? 0 : 1);
