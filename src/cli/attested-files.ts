import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sidecarName, type StatePaths } from '../disk/state-paths.js';
import { digestOfBytes, type Digest } from '../model/canonical.js';
import { parseCertificateId } from '../model/id.js';
import type { Plan } from '../model/plan.js';
import { fileDescriptor, type Descriptor } from '../report/attestation.js';
import { parseLockfileHead } from '../state/lockfile.js';
import type { PlanFile } from './plan-file.js';

/**
 * Every input file, sorted by name. The pictures of a batch are taken together, because their names may be those of
 * people: the digest is of the lines `HEX  PATH`, sorted, as `sha256sum` prints them.
 */
export function inputDescriptors(plan: Plan): readonly Descriptor[] {
  const pictures = new Map<string, Map<string, Digest>>();
  const shared = new Set<string>();
  for (const { id, kind, inputs } of plan.resources) {
    const batch = kind === 'certificate' ? parseCertificateId(id)?.batch : undefined;
    if (batch === undefined || kind !== 'certificate') continue;
    const known = pictures.get(batch) ?? new Map<string, Digest>();
    known.set(inputs.image.path, inputs.image.digest);
    pictures.set(batch, known);
    shared.add(inputs.image.path);
  }
  const single = Object.entries(plan.files).filter(([path]) => !shared.has(path));
  const all = [
    ...single.map(([path, digest]) => fileDescriptor(path, digest)),
    ...[...pictures].map(([batch, files]) => manyFiles(`pictures of ${batch}`, files)),
  ];
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function manyFiles(name: string, files: ReadonlyMap<string, Digest>): Descriptor {
  const lines = [...files].map(([path, digest]) => `${digest.slice('sha256:'.length)}  ${path}\n`).sort();
  return { ...fileDescriptor(name, digestOfBytes(lines.join(''))), annotations: { files: files.size } };
}

/** The plan's own file. */
export async function planDescriptor(file: PlanFile): Promise<Descriptor | undefined> {
  const bytes = await readFile(file.path).catch(() => undefined);
  return bytes && fileDescriptor(file.name, digestOfBytes(bytes));
}

/** The lockfile and the files of its batches as they stand on disk; those that are missing are left out. */
export async function lockfileDescriptors(paths: StatePaths): Promise<readonly Descriptor[]> {
  const main = await readFile(paths.lockfile).catch(() => undefined);
  if (main === undefined) return [];
  const folder = basename(paths.sidecars);
  const found = [fileDescriptor(basename(paths.lockfile), digestOfBytes(main))];
  for (const batch of batchesIn(main.toString('utf8'))) {
    const bytes = await readFile(join(paths.sidecars, sidecarName(batch))).catch(() => undefined);
    if (bytes) found.push(fileDescriptor(`${folder}/${sidecarName(batch)}`, digestOfBytes(bytes)));
  }
  return found;
}

function batchesIn(lockfile: string): readonly string[] {
  try {
    return [...parseLockfileHead(lockfile).batches.keys()];
  } catch {
    return [];
  }
}
