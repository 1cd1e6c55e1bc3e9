/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- benches are plain JavaScript outside the TypeScript project: nothing in them has a type */
// npm run bench:overhead [-- --steps 5000 --runs 5]: the engine against a bare undici loop. Both make the same POSTs to the
// same minimal service with the same connections, read the same answers, and wait for the same callbacks, whose bodies they
// read and which they answer alike, with the same number in flight. Measured
// is the run: intents, sending, callbacks, outcomes, the look for second effects and the lockfile. Starting the command line
// is measured apart; planning and opening the journal are not measured. The service is a process of its own, and on two cores
// nothing goes faster than it does, so its CPU time is printed too.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { openAttemptTokens } from '../dist/disk/attempt-tokens.js';
import { REAL_DISK } from '../dist/disk/disk.js';
import { openRun } from '../dist/disk/run-state.js';
import { apply, preview } from '../dist/engine.js';
import { REMOTE_PACE } from '../dist/execute/pace.js';
import { openInbox } from '../dist/remote/inbox.js';
import { openService } from '../dist/remote/service.js';
import { runCli, spread } from './measure.mjs';

const { values } = parseArgs({
  options: { steps: { type: 'string', default: '5000' }, runs: { type: 'string', default: '5' } },
});
const steps = Number(values.steps);
const IN_FLIGHT = 64;

const service = fork(join(import.meta.dirname, 'overhead-service.mjs'));
const [{ port }] = await once(service, 'message');
const origin = `http://127.0.0.1:${port}`;

const clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
    }),
};

/** The disk, with the time that syncs took. */
function timedDisk() {
  const spent = { syncMs: 0, syncs: 0 };
  const timed = async (work) => {
    const began = performance.now();
    try {
      return await work();
    } finally {
      spent.syncMs += performance.now() - began;
      spent.syncs += 1;
    }
  };
  const open = async (...args) => {
    const file = await REAL_DISK.open(...args);
    return new Proxy(file, {
      get: (target, name) => {
        const member = target[name];
        if (name === 'sync' || name === 'datasync') return () => timed(() => member.call(target));
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
  return { disk: { ...REAL_DISK, open }, spent };
}

/** Of a write, as the engine sends them. */
const HEADERS = {
  accept: 'application/json',
  'user-agent': 'windlass',
  client_id: 'id',
  client_secret: 'secret',
  'content-type': 'application/json',
};

async function bare() {
  const waiting = new Map();
  const receiver = createServer((incoming, response) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const { status } = JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
      if (status === 'success') waiting.get(incoming.url)?.();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const pool = new Pool(origin, { connections: IN_FLIGHT });
  const home = `http://127.0.0.1:${receiver.address().port}`;
  let next = 0;
  const lane = async () => {
    while (next < steps) {
      // As long as a token.
      const path = `/cb/${String(next).padStart(43, '0')}`;
      next += 1;
      const called = new Promise((resolve) => waiting.set(path, resolve));
      const body = JSON.stringify({
        name: `contract ${next}`,
        field: { encrypt_data: false },
        callback_url: home + path,
      });
      const answer = await pool.request({
        method: 'POST',
        path: '/api/audit/contracts',
        body,
        headers: HEADERS,
      });
      await answer.body.json();
      await called;
    }
  };
  const measured = await measure(() => Promise.all(Array.from({ length: IN_FLIGHT }, lane)));
  await pool.close();
  receiver.closeAllConnections();
  receiver.close();
  return measured;
}

function planOf() {
  const resources = Array.from({ length: steps }, (_, index) => ({
    id: `audit-contract.c${index}`,
    kind: 'audit-contract',
    inputs: { name: `contract ${index}`, encryptData: false },
    dependsOn: [],
    declaredAt: { line: 1, column: 1 },
  }));
  const environment = {
    name: 'bench',
    callbacks: {},
    maxInFlight: IN_FLIGHT,
    sendOrder: 'any',
    capabilities: [],
    protected: false,
  };
  return {
    name: 'bench',
    file: 'windlass.yaml',
    digest: `sha256:${'0'.repeat(64)}`,
    environment,
    resources,
    moved: {},
    notices: [],
  };
}

async function engine() {
  const root = mkdtempSync(join(tmpdir(), 'windlass-overhead-'));
  const { disk, spent } = timedDisk();
  const target = { origin, client: `sha256:${'1'.repeat(64)}` };
  const plan = planOf();
  const abilities = { capabilities: new Set(), callbacks: true, chain: false };
  const remote = openService({
    baseUrl: origin,
    credentials: async () => ({ clientId: 'id', clientSecret: 'secret' }),
    clock,
    files: async () => new Uint8Array(),
    secrets: async () => '',
    capabilities: abilities.capabilities,
    maxConnections: IN_FLIGHT,
  });
  const run = await openRun(
    { root, planFile: plan.file, environment: 'bench' },
    { run: 'bench', target, nowMs: Date.now() },
    disk,
  );
  const tokens = await openAttemptTokens(run.paths.tokens, {
    steps: (digest) => run.state.stepOfToken(digest),
    disk,
  });
  const inbox = await openInbox({ callbacks: {}, tokens, clock, anyPort: true });
  const changeSet = await preview({ plan, state: run.state, abilities, service: remote });
  const ports = { service: remote, journal: run.journal, inbox, clock };
  let lockfileMs = 0;
  const measured = await measure(async () => {
    const result = await apply({
      plan,
      changeSet,
      state: run.state,
      abilities,
      ports,
      pace: REMOTE_PACE,
      target,
      ids: { run: 'bench', lineage: 'bench' },
      engineVersion: 'bench',
    });
    if (result.result !== 'done') throw new Error(`the run ended ${result.result}`);
    const began = performance.now();
    await run.writeLockfile(run.lock);
    lockfileMs = performance.now() - began;
  });
  await inbox.close();
  await remote.close();
  await tokens.close();
  await run.close();
  rmSync(root, { recursive: true });
  return { ...measured, ...spent, lockfileMs };
}

/** CPU time of the service so far, in ms. */
async function serviceCpuMs() {
  const answer = once(service, 'message');
  service.send('cpu');
  const [{ cpuMs }] = await answer;
  return cpuMs;
}

async function measure(work) {
  const before = await serviceCpuMs();
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000, serviceMs: (await serviceCpuMs()) - before };
}

/** Runs of both before they count: neither is measured while its code is being compiled, which takes three batches. */
const WARM_UPS = 3;

/** The mean of two measurements: what else the machine does changes within seconds. */
function meanOf(one, other) {
  return Object.fromEntries(Object.keys(one).map((figure) => [figure, (one[figure] + other[figure]) / 2]));
}

for (let run = 0; run < WARM_UPS; run += 1) {
  await bare();
  await engine();
}
const pairs = [];
let before = await bare();
for (let run = 0; run < Number(values.runs); run += 1) {
  const measured = await engine();
  const after = await bare();
  pairs.push({ bare: meanOf(before, after), engine: measured });
  before = after;
}
const ratioOf = (figure) => spread(pairs.map((pair) => pair.engine[figure] / pair.bare[figure]));
const leastOf = (side, figure) => Math.min(...pairs.map((pair) => pair[side][figure]));
const [ratios, cpu] = [ratioOf('wallMs'), ratioOf('cpuMs')];
const best = {
  wall: leastOf('engine', 'wallMs') / leastOf('bare', 'wallMs'),
  cpu: leastOf('engine', 'cpuMs') / leastOf('bare', 'cpuMs'),
};
const last = pairs.at(-1);
const share = (ms) => `${Math.round((100 * ms) / last.engine.wallMs)} %`;
const ownMs = Math.max(0, last.engine.cpuMs - last.bare.cpuMs);
const perStep = (ms) => `${Math.round((1000 * ms) / steps)} µs`;
const starts = [];
for (let run = 0; run < 3; run += 1) starts.push((await runCli(['--version'], {})).wallMs);
const range = ({ median, least, most }) => `${median.toFixed(2)}× (${least.toFixed(2)}–${most.toFixed(2)})`;
const lines = [
  `${steps} steps, ${IN_FLIGHT} in flight, journal and lockfile on, against a bare undici loop:`,
  `wall time ${range(ratios)}, best against best ${best.wall.toFixed(2)}×; CPU time ${range(cpu)}, best against best ${best.cpu.toFixed(2)}×`,
  `of the wall time (CPU and waiting overlap): fsync ${share(last.engine.syncMs)} in ${last.engine.syncs} syncs, HTTP as in the bare loop ${share(last.bare.cpuMs)}, own code ${share(ownMs)}, the lockfile's ${share(last.engine.lockfileMs)} among it`,
  `CPU time a step: bare loop ${perStep(leastOf('bare', 'cpuMs'))}, engine ${perStep(leastOf('engine', 'cpuMs'))}, the service ${perStep(leastOf('bare', 'serviceMs'))}`,
  `starting the command line, not in these figures: ${Math.round(Math.min(...starts))} ms`,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.stdout.write(
  `${JSON.stringify({ bench: 'overhead', steps, inFlight: IN_FLIGHT, ratios, cpu, best, pairs })}\n`,
);
service.kill();
process.exit(0);
