// One thread of the simulator: runs what it is told on one compiled engine.
import { parentPort, workerData } from 'node:worker_threads';

const { runSeeds, enumerateCrashes } = await import(`${workerData.build}/test/sim/batch.js`);

const { job } = workerData;
const tally = job.crashes
  ? await enumerateCrashes(job.crashes, { pairs: job.pairs, stride: job.stride })
  : await runSeeds(job.from, job.to, job.step);
parentPort.postMessage(tally);
