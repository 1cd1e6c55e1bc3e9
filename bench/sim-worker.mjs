// One thread of the simulator: runs what it is told on one compiled engine. A thread simulates one schedule at a time.
import { parentPort, workerData } from 'node:worker_threads';

const { runSeeds, enumerateCrashes, holds, hunt } = await import(`${workerData.build}/test/sim/batch.js`);

const { job } = workerData;
parentPort.postMessage(await run());

function run() {
  if (job.hunt) return hunt(job.hunt);
  if (job.holds) return holds(job.holds);
  if (job.crashes) return enumerateCrashes(job.crashes, { pairs: job.pairs, stride: job.stride });
  return runSeeds(job.from, job.to, job.step);
}
