/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- benches are plain JavaScript outside the TypeScript project: nothing in them has a type */
// npm run bench:resume [-- --steps 100000]: how long a run takes from a journal with so many steps to
// the first send, and its peak memory: from the journal alone, with the lockfile of all its steps beside it as a run
// leaves it, and with the same lockfile where nothing tells that it is ours, as after a checkout. Both files are written
// first and are not counted.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openRun } from '../dist/disk/run-state.js';
import { statePaths } from '../dist/disk/state-paths.js';
import { apply, preview } from '../dist/engine.js';
import { REMOTE_PACE } from '../dist/execute/pace.js';
import { digestOf } from '../dist/model/canonical.js';
import { encodeEvents } from '../dist/state/codec.js';
import { CHAIN_START } from '../dist/state/record.js';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '100000' },
    root: { type: 'string' },
    task: { type: 'string', default: 'resume' },
  },
});
const steps = Number(values.steps);
const NONE = `sha256:${'0'.repeat(64)}`;
const target = { origin: 'http://127.0.0.1:1', client: NONE };
const inputsOf = (index) => ({ name: `contract ${index}`, encryptData: false });

const place = (root) => ({ root, planFile: 'windlass.yaml', environment: 'bench' });

if (values.root === undefined) await compare();
else if (values.task === 'lockfile') await writeLockfile(values.root);
else await resume(values.root);

async function compare() {
  const root = mkdtempSync(join(tmpdir(), 'windlass-resume-'));
  try {
    const { journal, lockfileMark } = statePaths(place(root));
    writeJournal(root);
    const { size } = statSync(journal);
    await measure(root, 'alone');
    // A run that was measured has left its intent.
    truncateSync(journal, size);
    await once(fork(import.meta.filename, ['--task', 'lockfile', '--root', root]), 'exit');
    await measure(root, 'with its lockfile');
    truncateSync(journal, size);
    rmSync(lockfileMark);
    await measure(root, 'with a lockfile that is compared');
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function measure(root, journal) {
  const child = fork(import.meta.filename, ['--steps', values.steps, '--root', root]);
  const [sample] = await once(child, 'message');
  const text = `${(sample.wallMs / 1000).toFixed(1)} s (CPU ${(sample.cpuMs / 1000).toFixed(1)} s), peak ${Math.round(sample.peakMiB)} MiB`;
  process.stdout.write(`from a journal of ${steps} steps, ${journal}, to the first send: ${text}\n`);
  const row = { bench: 'resume', node: process.version, steps, journal, ...sample };
  process.stdout.write(`${JSON.stringify(row)}\n`);
}

/** What a run leaves when it ends. */
async function writeLockfile(root) {
  const run = await openRun(place(root), { run: 'first', target, nowMs: Date.now() });
  await run.writeLockfile(run.lock);
  await run.close();
}

function writeJournal(root) {
  const folder = join(root, '.windlass', 'env', 'bench');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openSync(join(folder, 'journal.jsonl'), 'w', 0o600);
  const at = new Date().toISOString();
  let chain = CHAIN_START;
  const put = (events) => {
    const { text, hash } = encodeEvents(
      chain,
      events.map((event) => ({ ...event, at })),
    );
    chain = hash;
    writeSync(file, text);
  };
  put([
    { type: 'lineage-started', version: 1, lineage: 'bench', target },
    { type: 'run-started', run: 'first', plan: NONE, changeSet: NONE, engine: 'bench' },
  ]);
  for (let index = 0; index < steps; index += 1) put(eventsOf(index));
  closeSync(file);
}

/** What a confirmed step leaves in the journal. */
function eventsOf(index) {
  const id = `audit-contract.c${index}`;
  const step = `${id}#1`;
  const address = `0x${index.toString(16).padStart(40, '0')}`;
  const transaction = `0x${index.toString(16).padStart(64, '0')}`;
  const inputs = inputsOf(index);
  return [
    {
      type: 'step-intended',
      step,
      resources: [id],
      operation: 'audit-contract.create',
      lane: 'service:audit-contracts',
      token: digestOf(`token ${index}`),
      request: digestOf(inputs),
      before: { name: inputs.name, before: null },
      inputs: { [id]: inputs },
    },
    { type: 'step-answered', step, outcome: 'accepted', status: 200, ids: {} },
    {
      type: 'step-evidenced',
      step,
      via: 'callback',
      claim: 'success',
      facts: { status: 'success', transactionHash: transaction, nonce: index, contract_address: address },
    },
    {
      type: 'step-settled',
      step,
      state: 'confirmed',
      grade: 'C',
      outputs: { [id]: { address, transaction } },
    },
  ];
}

/** A plan with one audit contract more than the journal. */
function planOf() {
  const resources = Array.from({ length: steps + 1 }, (_, index) => ({
    id: `audit-contract.c${index}`,
    kind: 'audit-contract',
    inputs: inputsOf(index),
    dependsOn: [],
    declaredAt: { line: 1, column: 1 },
  }));
  const environment = {
    name: 'bench',
    callbacks: {},
    maxInFlight: 1,
    sendOrder: 'plan',
    capabilities: [],
    protected: false,
  };
  return {
    name: 'bench',
    file: 'windlass.yaml',
    digest: NONE,
    environment,
    resources,
    moved: {},
    notices: [],
  };
}

async function resume(root) {
  const plan = planOf();
  const abilities = { capabilities: new Set(), callbacks: true, chain: false };
  const clock = { nowMs: () => Date.now(), sleep: () => new Promise(() => undefined) };
  const cpu = process.cpuUsage();
  const began = performance.now();
  const run = await openRun(place(root), { run: 'second', target, nowMs: Date.now() });
  const service = {
    read: () => Promise.reject(new Error('nothing is read here')),
    write: () => {
      const { user, system } = process.cpuUsage(cpu);
      const sample = {
        wallMs: performance.now() - began,
        cpuMs: (user + system) / 1000,
        peakMiB: process.resourceUsage().maxRSS / 1024,
      };
      if (process.send === undefined) {
        writeSync(1, `${JSON.stringify(sample)}\n`);
        process.exit(0);
      }
      process.send(sample, () => process.exit(0));
      return new Promise(() => undefined);
    },
  };
  const inbox = {
    open: async () => ({ url: 'http://127.0.0.1:1/cb/t', token: NONE }),
    receive: () => undefined,
  };
  const changeSet = await preview({ plan, state: run.state, abilities, service });
  await apply({
    plan,
    changeSet,
    state: run.state,
    abilities,
    ports: { service, journal: run.journal, inbox, clock },
    pace: REMOTE_PACE,
    target,
    ids: { run: 'second', lineage: 'bench' },
    engineVersion: 'bench',
  });
}
