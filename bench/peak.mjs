// Preloaded into a measured process: writes its peak memory when it ends.
import { writeFileSync } from 'node:fs';

const file = process.env['BENCH_PEAK_FILE'];
if (file !== undefined) {
  process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS)));
}
