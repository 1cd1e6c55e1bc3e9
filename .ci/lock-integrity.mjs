// Fills in what package-lock.json lacks: npm leaves the SHA-512 out of packages for other systems that it could not read.
// Needs a build and a registry that has them (WINDLASS_REGISTRY); says what is still missing, and then ends with 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { Registry } from '../dist/build/registry.js';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const url = process.env.WINDLASS_REGISTRY;
const registry = new Registry(url ? { url } : {});
const missing = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.link || entry.integrity) continue;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  try {
    const spec = { name, wanted: entry.version, type: 'version' };
    const { integrity } = await registry.pick(spec, AbortSignal.timeout(20_000));
    const { version, ...rest } = entry;
    lock.packages[path] = { version, integrity, ...rest };
  } catch (cause) {
    missing.push(`${name}@${entry.version}: ${cause.message}`);
  }
}
await registry.close();
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
if (missing.length > 0) {
  process.stderr.write(`${missing.join('\n')}\n`);
  process.exitCode = 1;
}
