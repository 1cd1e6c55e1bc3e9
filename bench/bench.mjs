// npm run bench [-- --only start,graph,peer,blocks,noop] [--runs 3] [--count 100] [--sizes 100,1000,10000]: what people wait
// for, as a table and one JSON line. Figures hold for one machine and one moment: compare ratios of one run.
import { parseArgs } from 'node:util';
import { bareNode, spread } from './measure.mjs';
import { PARTS } from './parts.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PARTS).join(',') },
    runs: { type: 'string', default: '3' },
    count: { type: 'string', default: '100' },
    sizes: { type: 'string', default: '100,1000' },
  },
});
const runs = Number(values.runs);
const options = {
  count: Number(values.count),
  rows: Number(values.rows),
  sizes: values.sizes.split(',').map(Number),
};

/** The rows of a part with the samples of all runs; and of a bare Node process before and after, on the same machine. */
async function measure(part) {
  const rows = [];
  const bare = [];
  for (let run = 0; run < runs; run += 1) {
    bare.push(await bareNode());
    for (const [index, { sample, ...row }] of (await part(options)).entries()) {
      rows[index] ??= { ...row, samples: [] };
      rows[index].samples.push(sample);
    }
    bare.push(await bareNode());
  }
  return { rows, bare };
}

const all = [];
const bareSamples = [];
for (const name of values.only.split(',')) {
  const part = PARTS[name];
  if (part === undefined)
    throw new Error(`there is no part ${name}; there are ${Object.keys(PARTS).join(', ')}`);
  const { rows, bare } = await measure(part);
  const median = (samples, member) => spread(samples.map((sample) => sample[member])).median;
  const bareWall = median(bare, 'wallMs');
  const bareCpu = median(bare, 'cpuMs');
  for (const { name: label, per, samples } of rows) {
    all.push({
      part: name,
      name: label,
      wallMs: Math.round(median(samples, 'wallMs')),
      wall: median(samples, 'wallMs') / bareWall,
      cpu: median(samples, 'cpuMs') / bareCpu,
      peakMiB: Math.round(median(samples, 'peakMiB')),
      requests: median(samples, 'requests'),
      ...(per !== undefined && {
        wallMsEach: median(samples, 'wallMs') / per,
        requestsEach: median(samples, 'requests') / per,
      }),
    });
  }
  bareSamples.push(...bare);
}
print(all);
const bareNodeMs = Math.round(spread(bareSamples.map(({ wallMs }) => wallMs)).median);
process.stdout.write(
  `${JSON.stringify({ bench: 'windlass', node: process.version, runs, bareNodeMs, rows: all })}\n`,
);

function print(rows) {
  const heads = ['', 'wall, bare Node = 1', 'CPU, bare Node = 1', 'peak memory', 'requests', 'wall each'];
  const cells = rows.map(({ name, wall, cpu, peakMiB, requests, wallMsEach }) => [
    name,
    short(wall),
    short(cpu),
    `${peakMiB} MiB`,
    String(requests),
    wallMsEach === undefined ? '' : `${wallMsEach.toFixed(2)} ms`,
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column].length)),
  );
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |\n`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`;
  process.stdout.write([line(heads), rule, ...cells.map(line)].join(''));
}

function short(ratio) {
  return ratio < 10 ? ratio.toFixed(1) : String(Math.round(ratio));
}
