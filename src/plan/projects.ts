import { digestOfBytes } from '../model/canonical.js';
import { resourceId, type ResourceId } from '../model/id.js';
import type { ContractSource, InputsOf, PackageInput, SourceInput } from '../model/resource.js';
import { declare, type Drafting } from './draft.js';
import { flattenSources, type FlatSource, type UnresolvedImport } from './flatten.js';
import { nearestName } from './nearest.js';
import {
  booleanOf,
  child,
  entriesOf,
  integerOf,
  itemsOf,
  keySpanOf,
  textOf,
  type Entry,
  type PlanNode,
  type Span,
} from './node.js';
import { positionsIn } from './problems.js';
import { loadSources, type LoadedSource } from './sources.js';

/** What deployments check their contracts against. */
export interface LoadedVersion {
  readonly id: ResourceId;
  readonly sources: readonly LoadedSource[];
  /** False when some source could not be read: absence proves nothing then. */
  readonly isComplete: boolean;
  /** Each source as the service gets it, by the author's path. */
  readonly uploaded: ReadonlyMap<string, ContractSource>;
}

/** Declares projects and versions, reading their sources. Gives the versions by `slug@version`. */
export async function readProjects(
  document: PlanNode,
  drafting: Drafting,
): Promise<ReadonlyMap<string, LoadedVersion>> {
  const versions = new Map<string, LoadedVersion>();
  for (const { key: slug, keySpan, value } of entriesOf(child(document, 'projects'))) {
    const project = resourceId('project', slug);
    declare(drafting, { id: project, kind: 'project', inputs: { slug }, edges: [], at: keySpan });
    for (const entry of entriesOf(child(value, 'versions'))) {
      versions.set(`${slug}@${entry.key}`, await readVersion(slug, entry, drafting));
    }
  }
  return versions;
}

async function readVersion(slug: string, entry: Entry, drafting: Drafting): Promise<LoadedVersion> {
  const { key: name, keySpan: at, value } = entry;
  const id = resourceId('version', `${slug}@${name}`);
  const project = resourceId('project', slug);
  const before = drafting.problems.all().length;
  const sourcesNode = child(value, 'sources');
  const sources = await loadSources(sourcesNode, drafting);
  const isComplete = sourcesNode !== undefined && drafting.problems.all().length === before;
  const packages = packagesOf(child(value, 'packages'));
  const flat = flattenSources(
    sources,
    packages.map((one) => one.name),
  );
  const sourcesKey = keySpanOf(value, 'sources');
  for (const missing of isComplete ? flat.unresolved : []) {
    reportUnresolved(missing, sources, sourcesKey ?? at, drafting);
  }
  noteRenames(`${slug}@${name}`, flat.sources, drafting);
  const inputs: InputsOf['version'] = {
    project,
    name,
    compiler: compilerOf(child(value, 'compiler')),
    sources: flat.sources.map((source, index) => sourceInput(source, sources[index])),
    packages,
  };
  declare(drafting, { id, kind: 'version', inputs, edges: [{ to: project, at }], at });
  const uploaded = new Map(
    inputs.sources.map(({ path, filename, digest }) => [path, { path, filename, digest }]),
  );
  return { id, sources, isComplete, uploaded };
}

function compilerOf(node: PlanNode | undefined): InputsOf['version']['compiler'] {
  const optimizer = child(node, 'optimizer');
  return {
    solidity: textOf(child(node, 'solidity')) ?? '',
    optimizer: {
      enabled: booleanOf(child(optimizer, 'enabled')) ?? false,
      runs: integerOf(child(optimizer, 'runs')) ?? 200,
    },
  };
}

function packagesOf(node: PlanNode | undefined): readonly PackageInput[] {
  return itemsOf(node).flatMap((item) => {
    const text = textOf(item);
    if (text === undefined) return [];
    const at = text.indexOf('@', 1);
    return [at < 0 ? { name: text } : { name: text.slice(0, at), version: text.slice(at + 1) }];
  });
}

function sourceInput(flat: FlatSource, loaded: LoadedSource | undefined): SourceInput {
  const { path, filename, text, isRewritten } = flat;
  if (isRewritten || loaded === undefined) {
    const sizeBytes = Buffer.byteLength(text);
    return { path, filename, digest: digestOfBytes(text), sizeBytes, rewritten: text };
  }
  return { path, filename, digest: loaded.digest, sizeBytes: loaded.sizeBytes };
}

function reportUnresolved(
  { path, found, target }: UnresolvedImport,
  sources: readonly LoadedSource[],
  at: Span,
  drafting: Drafting,
): void {
  const text = sources.find((source) => source.path === path)?.text ?? '';
  const { line } = positionsIn(text)(found.start);
  const near = nearestName(
    target,
    sources.map((source) => source.path),
  );
  const isLocal = /^\.\.?\//.test(found.path);
  const scope = /^(?:@[^/]+\/)?[^/]+/.exec(found.path)?.[0] ?? found.path;
  const fix = near === undefined ? undefined : `Did the import mean "${near}"?`;
  drafting.problems.report({
    code: 'PLAN_IMPORT_UNRESOLVED',
    at,
    message: `${path}:${line} imports "${found.path}", which no source and no package of this version holds.`,
    fix:
      fix ??
      (isLocal
        ? `Add ${target} to sources.`
        : `Add the package "${scope}" to packages, or the file to sources.`),
  });
}

function noteRenames(version: string, sources: readonly FlatSource[], drafting: Drafting): void {
  const renamed = sources.filter(({ path, filename }) => path.split('/').at(-1) !== filename);
  const rewritten = sources.filter(({ isRewritten }) => isRewritten);
  if (renamed.length + rewritten.length === 0) return;
  const names = renamed.slice(0, 6).map(({ path, filename }) => `${path} as ${filename}`);
  const more = renamed.length > names.length ? [`${renamed.length - names.length} more renamed`] : [];
  const imports = `imports rewritten in ${rewritten.length} of ${sources.length} files`;
  drafting.notices.push(
    `version ${version} is uploaded as flat files: ${[...names, ...more, imports].join(', ')}.`,
  );
}
