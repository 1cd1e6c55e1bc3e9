// npm run bench [-- --runs N] [-- --only NAME]: wall time and peak memory of what people wait for. Prints a table and
// one JSON line. Figures hold for one machine and one moment: compare ratios of one run.
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bareNode, runCli, spread } from './measure.mjs';
import { certificatesPlan, contractsPlan } from './plans.mjs';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, only: { type: 'string' } },
});
const runs = Number(values.runs);

async function repeat(work) {
  const samples = [];
  for (let run = 0; run < runs; run += 1) samples.push(await work());
  return samples;
}

/** Applies a fresh plan on a running platform that has compiled its version already; then plans again. */
async function applied(makePlan, before) {
  const cwd = makePlan();
  await runCli(['platform', 'start', '--detach'], { cwd });
  try {
    if (before.length > 0) await runCli(before, { cwd });
    const apply = await runCli(['apply', '--yes'], { cwd });
    const again = await runCli(['plan', '--detailed-exitcode'], { cwd });
    return { apply, again };
  } finally {
    await runCli(['platform', 'stop'], { cwd });
    rmSync(cwd, { recursive: true, force: true });
  }
}

const compileFirst = ['apply', '--yes', '--target', 'version.links@1.0.0'];

const benches = {
  'windlass --version': () => repeat(() => runCli(['--version'], { cwd: process.cwd() })),
  'validate (100 contracts)': async () => {
    const cwd = contractsPlan(100, true);
    const samples = await repeat(() => runCli(['validate'], { cwd }));
    rmSync(cwd, { recursive: true });
    return samples;
  },
  'graph as SVG (1,000 contracts)': async () => {
    const cwd = contractsPlan(1000, true);
    const samples = await repeat(() => runCli(['graph', '--format', 'svg'], { cwd }));
    rmSync(cwd, { recursive: true });
    return samples;
  },
  'platform start to ready': () =>
    repeat(async () => {
      const cwd = contractsPlan(1, false);
      const sample = await runCli(['platform', 'start', '--detach'], { cwd });
      await runCli(['platform', 'stop'], { cwd });
      rmSync(cwd, { recursive: true, force: true });
      return sample;
    }),
  'apply 100 contracts in a chain': () => repeat(() => applied(() => contractsPlan(100, true), compileFirst)),
  'apply 100 independent contracts': () =>
    repeat(() => applied(() => contractsPlan(100, false), compileFirst)),
  'apply 1,000 small certificates': () => repeat(() => applied(() => certificatesPlan(1000), [])),
};

const bare = spread(await Promise.all(Array.from({ length: 1 }, bareNode)));
const table = [];
for (const [name, bench] of Object.entries(benches)) {
  if (values.only !== undefined && !name.includes(values.only)) continue;
  const samples = await bench();
  if (samples[0].apply === undefined) table.push(row(name, samples));
  else {
    table.push(
      row(
        name,
        samples.map(({ apply }) => apply),
      ),
    );
    table.push(
      row(
        `  no-op plan after it`,
        samples.map(({ again }) => again),
      ),
    );
  }
  process.stdout.write(
    `${table
      .slice(samples[0].apply === undefined ? -1 : -2)
      .map(format)
      .join('\n')}\n`,
  );
}
process.stdout.write(
  `${JSON.stringify({ bench: 'windlass', node: process.version, runs, bareNodeMs: Math.round(bare.median), rows: table })}\n`,
);

function row(name, samples) {
  return {
    name,
    wallMs: rounded(spread(samples.map(({ wallMs }) => wallMs))),
    peakMiB: rounded(spread(samples.map(({ peakMiB }) => peakMiB))),
  };
}

function rounded(numbers) {
  return Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, Math.round(value)]));
}

function format({ name, wallMs, peakMiB }) {
  const times = `${wallMs.median} ms (${wallMs.least}–${wallMs.most})`;
  return `${name.padEnd(34)} ${times.padEnd(26)} ${String(Math.round(wallMs.median / bare.median)).padStart(4)}× bare node   peak ${peakMiB.median} MiB`;
}
