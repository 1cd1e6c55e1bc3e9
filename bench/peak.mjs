// Preloaded into a measured process: writes what it took when it ends. Memory in KiB, CPU time in microseconds.
import { writeFileSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';

const file = process.env['BENCH_PEAK_FILE'];
if (file !== undefined) {
  let requests = 0;
  subscribe('undici:request:create', () => (requests += 1));
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    writeFileSync(file, JSON.stringify({ maxRSS, cpu: userCPUTime + systemCPUTime, requests }));
  });
}
