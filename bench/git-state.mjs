/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- benches are plain JavaScript outside the TypeScript project: nothing in them has a type */
// npm run bench:git-state [-- --steps 200]: what `state: git` costs. Mints certificates on the embedded platform with the
// journal beside the plan and with the journal in a bare repository on the same disk, and counts pushes. Figures are ratios:
// to the local journal, to one bare `git push`, to one step.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCli, spread } from './measure.mjs';
import { certificatesPlan } from './plans.mjs';

const { values } = parseArgs({ options: { steps: { type: 'string', default: '200' } } });
const steps = Number(values.steps);
const REF = 'refs/windlass/local/journal';

function git(cwd, ...args) {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** Median time of one push of one small commit to a bare repository, in ms. */
function barePushMs() {
  const root = mkdtempSync(join(tmpdir(), 'windlass-push-'));
  git(root, 'init', '--quiet', '--bare', 'remote.git');
  git(root, 'init', '--quiet', 'clone');
  const clone = join(root, 'clone');
  const samples = [];
  for (let index = 0; index < 10; index += 1) {
    git(
      clone,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      `${index}`,
    );
    const began = performance.now();
    git(clone, 'push', '--quiet', '../remote.git', 'HEAD:refs/windlass/bench');
    samples.push(performance.now() - began);
  }
  rmSync(root, { recursive: true });
  return spread(samples).median;
}

/** Applies a fresh plan on a running platform. */
async function applied(environment, state) {
  const cwd = certificatesPlan(steps);
  const remote = mkdtempSync(join(tmpdir(), 'windlass-remote-'));
  git(remote, 'init', '--quiet', '--bare');
  git(cwd, 'init', '--quiet');
  git(cwd, 'remote', 'add', 'origin', remote);
  appendFileSync(
    join(cwd, 'windlass.yaml'),
    `environments: { local: { ${environment}, state: ${state} } }\n`,
  );
  await runCli(['platform', 'start', '--detach'], { cwd });
  try {
    const { wallMs } = await runCli(['apply', '--yes'], { cwd });
    const { wallMs: againMs } = await runCli(['plan', '--detailed-exitcode'], { cwd });
    return { wallMs, againMs, ...(state === 'git' ? pushesIn(remote) : {}) };
  } finally {
    await runCli(['platform', 'stop'], { cwd });
    rmSync(cwd, { recursive: true, force: true });
    rmSync(remote, { recursive: true, force: true });
  }
}

function pushesIn(remote) {
  const commits = git(remote, 'rev-list', REF).split('\n');
  const carrying = commits.filter((id) =>
    git(remote, 'ls-tree', '--name-only', id).includes('records.jsonl'),
  );
  const records = carrying.map((id) => git(remote, 'show', `${id}:records.jsonl`).split('\n').length);
  return { pushes: commits.length, records: records.reduce((sum, count) => sum + count, 0) };
}

const pushMs = barePushMs();
const rows = [];
for (const environment of ['max_in_flight: 1', 'max_in_flight: 32', 'max_in_flight: 32, send_order: any']) {
  const local = await applied(environment, 'local');
  const shared = await applied(environment, 'git');
  const row = {
    environment,
    applyToLocal: round(shared.wallMs / local.wallMs),
    noopPlanToLocal: round(shared.againMs / local.againMs),
    pushesPerStep: round(shared.pushes / steps),
    recordsPerPush: round(shared.records / shared.pushes),
    addedBarePushesPerStep: round((shared.wallMs - local.wallMs) / steps / pushMs),
  };
  rows.push(row);
  process.stdout.write(
    `${environment.padEnd(36)} apply ${row.applyToLocal}× local   no-op plan ${row.noopPlanToLocal}×   ${row.pushesPerStep} pushes per step   ${row.recordsPerPush} records per push   adds ${row.addedBarePushesPerStep} bare pushes of time per step\n`,
  );
}
process.stdout.write(
  `${JSON.stringify({ bench: 'git-state', node: process.version, steps, barePushMs: Math.round(pushMs), rows })}\n`,
);

function round(value) {
  return Math.round(value * 100) / 100;
}
