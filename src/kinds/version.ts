import { digestOfBytes } from '../model/canonical.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { InputsOf, Resource } from '../model/resource.js';
import type { Outputs } from '../state/event.js';
import type { Kind, Knowledge, Observation, Sighting } from './kind.js';
import { itemsOf, objectOf, textsOf } from './listing.js';
import type { ReadAnswer, ReadRequest } from './operation.js';

type Inputs = InputsOf['version'];

/** A contract version: sources and compiler settings, compiled by the service. Sealed once deployed. */
export const version: Kind<'version'> = {
  name: 'version',
  verb: 'create',
  irreversible: false,
  isExisting: () => false,
  comparable: ({ inputs }) => comparable(inputs),
  observe: (sight) => {
    const projectSlug = projectSlugOf(sight.resource, sight.knowledge);
    const [first, detail] = sight.answers;
    const locked = textMember(sight.entry?.outputs, 'slug');
    if (first === undefined) {
      return locked === undefined
        ? [{ type: 'service', endpoint: 'version.list', params: { projectSlug } }]
        : [detailRead(projectSlug, locked)];
    }
    if (locked !== undefined) return sight.answers.length === 1 && !isSealed(first) ? fileReads(first) : [];
    const slug = slugIn(first, sight.resource.inputs.name);
    if (detail === undefined) return slug === undefined ? [] : [detailRead(projectSlug, slug)];
    return sight.answers.length === 2 ? fileReads(detail) : [];
  },
  seen: (sight) => {
    const locked = textMember(sight.entry?.outputs, 'slug') !== undefined;
    const [first] = sight.answers;
    if (first === undefined) return { sight: 'not-asked' };
    if (first.type === 'unreadable') return { sight: 'unreadable', unreadable: first.message };
    const detail = locked ? first : sight.answers[1];
    return detail?.type === 'found' ? observed(sight, detail, locked) : { sight: 'absent' };
  },
  differs: ({ inputs }, fields, { sealed }) => {
    if (sealed === true) {
      const reason = 'the version is deployed and can no longer be changed';
      const fix = `give it a new version name (${nextName(inputs.name)}), also where deployments name it`;
      return { action: 'blocked', reason, fix };
    }
    const onlyFailed = fields.every(({ path }) => path === 'compiled');
    const reason = onlyFailed
      ? 'its last compilation failed; it is sent again'
      : 'sources or settings changed and the version is not deployed yet';
    return { action: 'update', reason };
  },
  provable: () => true,
  operation: (_resource, update) => (update ? 'version.update' : 'version.create'),
  lane: ({ inputs }) => `project:${inputs.project}`,
};

/** The name after this one: its last number grows. */
function nextName(name: string): string {
  const next = name.replace(/\d+(?=\D*$)/, (digits) => String(BigInt(digits) + 1n));
  return next === name ? `${name}.1` : next;
}

/** Deployed: the service takes no more changes, so that neither its sources nor its settings can drift. */
function isSealed(detail: ReadAnswer | undefined): boolean {
  const found = objectOf(detail) ?? {};
  return textMember(found, 'status') === 'deployed' || typeof found['last_deployed_at'] === 'string';
}

/** Inputs as they are compared and locked: settings, digests of the bytes sent, package pins. */
export function comparable(inputs: Inputs): JsonObject {
  return {
    name: inputs.name,
    compiler: { ...inputs.compiler, solidity: inputs.compiler.solidity.replace(/^v/, '') },
    sources: Object.fromEntries(inputs.sources.map((source) => [source.filename, sentDigest(source)])),
    packages: packageSpecs(inputs),
  };
}

function sentDigest(source: Inputs['sources'][number]): string {
  return source.rewritten === undefined ? source.digest : digestOfBytes(source.rewritten);
}

/** The packages as the service is told them. */
export function packageSpecs(inputs: Inputs): readonly string[] {
  return inputs.packages.map(({ name, version: pinned }) =>
    pinned === undefined ? name : `${name}@${pinned}`,
  );
}

function observed(sight: Sighting<'version'>, detail: ReadAnswer, locked: boolean): Observation {
  const found = objectOf(detail) ?? {};
  const slug = textMember(found, 'slug');
  const sealed = isSealed(detail);
  const files = sight.answers.slice(locked ? 1 : 2);
  const sources = locked && sealed ? {} : { sources: downloaded(found, files, sight.entry?.inputs) };
  return {
    sight: 'present',
    outputs:
      slug === undefined
        ? {}
        : {
            ...versionOutputs(slug, found, packagePins(sight.resource.inputs)),
            ...(!locked && showsNoOptimizer(found) && { uncompared: ['compiler.optimizer'] }),
          },
    ...(locked && { made: { bytecode: bytecodeDigests(found) } }),
    inputs: {
      compiler: readCompiler(found, sight),
      packages: found['packages'] ?? [],
      ...sources,
      ...(isFailed(found) && { compiled: false }),
    },
    sealed,
  };
}

/** The last compilation failed, and no earlier one left anything to deploy. */
function isFailed(detail: JsonObject): boolean {
  return (textMember(detail, 'latest_error') ?? '') !== '' && listMember(detail, 'artifacts').length === 0;
}

/** Digests by file name. A file that cannot be read shows no difference from what is locked; one that is gone does. */
function downloaded(detail: JsonObject, files: readonly ReadAnswer[], locked: Json | undefined): JsonObject {
  const names = textsOf(listMember(detail, 'contract_files'), 'filename');
  const digests = files.map((answer, index) => {
    if (answer.type === 'found') return textMember(answer.value, 'digest');
    const known = answer.type === 'unreadable' ? member(locked, 'sources') : undefined;
    return textMember(known, names[index] ?? '');
  });
  return Object.fromEntries(names.map((name, index) => [name, digests[index] ?? null]));
}

/** True for the plain form of the settings, which names the compiler alone. */
function showsNoOptimizer(detail: JsonObject): boolean {
  return !isJsonObject(member(detail['compiler_settings'], 'solidity'));
}

/**
 * Compiler settings as read: a plain version string, or the nested object; normalised to the plan's form. The plain
 * form does not show the optimizer, so that it is what it is compared with.
 */
function readCompiler(detail: JsonObject, { entry, resource }: Sighting<'version'>): Json {
  const solidity = member(detail['compiler_settings'], 'solidity');
  if (!isJsonObject(solidity)) {
    const locked = member(member(entry?.inputs, 'compiler'), 'optimizer');
    return {
      solidity: (typeof solidity === 'string' ? solidity : '').replace(/^v/, ''),
      optimizer: locked ?? resource.inputs.compiler.optimizer,
    };
  }
  const optimizer = member(solidity['settings'], 'optimizer');
  return {
    solidity: (textMember(solidity, 'version') ?? '').replace(/^v/, ''),
    optimizer: {
      enabled: member(optimizer, 'enabled') === true || member(optimizer, 'enabled') === 1,
      runs: Number(member(optimizer, 'runs')),
    },
  };
}

/** What the lock keeps: the slug, what was compiled, and the packages it was compiled with. */
export function versionOutputs(slug: string, detail: JsonObject, pins: Json | undefined): Outputs {
  const packages = isJsonObject(pins) && Object.keys(pins).length > 0 ? { packages: pins } : {};
  return { slug, bytecode: bytecodeDigests(detail), ...packages };
}

/** Integrity by `name@version`; empty text where the registry could not be asked. Bare names pin nothing. */
export function packagePins({ packages }: Inputs): JsonObject {
  const pinned = packages.filter((item) => item.version !== undefined);
  return Object.fromEntries(pinned.map((item) => [`${item.name}@${item.version}`, item.integrity ?? '']));
}

/** Digests of the codes by contract name; those of one name are counted, whatever the order of the artifacts. */
function bytecodeDigests(detail: JsonObject): JsonObject {
  const digests = new Map<string, string[]>();
  for (const artifact of listMember(detail, 'artifacts')) {
    const name = textMember(artifact, 'contract_name');
    const bytecode = textMember(artifact, 'bytecode');
    if (name === undefined || bytecode === undefined || bytecode.length <= 2) continue;
    digests.set(name, [...(digests.get(name) ?? []), digestOfBytes(bytecode.toLowerCase())]);
  }
  return Object.fromEntries(
    [...digests].flatMap(([name, all]) =>
      all.length === 1
        ? [[name, all[0] ?? '']]
        : all.toSorted().map((digest, index) => [`${name}#${String(index + 1)}`, digest]),
    ),
  );
}

/** The slug of the version of this name in a list; undefined when it has none. */
export function slugIn(list: ReadAnswer | undefined, name: string): string | undefined {
  return textsOf(
    itemsOf(list).filter((item) => item['version'] === name),
    'slug',
  )[0];
}

function fileReads(detail: ReadAnswer): readonly ReadRequest[] {
  return textsOf(listMember(objectOf(detail) ?? {}, 'contract_files'), 'url').map((url) => ({
    type: 'file',
    url,
  }));
}

/** The objects of a list member. */
export function listMember(value: JsonObject, key: string): readonly JsonObject[] {
  return itemsOf({ type: 'found', value: value[key] ?? null, source: 'read' });
}

/** Reads one version whole. */
export function detailRead(projectSlug: string, versionSlug: string): ReadRequest {
  return { type: 'service', endpoint: 'version.detail', params: { projectSlug, versionSlug } };
}

/** The slug of a version's project: as locked, else as the plan names it. */
export function projectSlugOf(resource: Resource<'version'>, knowledge: Knowledge): string {
  const declared = knowledge.resource(resource.inputs.project)?.inputs as InputsOf['project'] | undefined;
  return textMember(knowledge.outputs(resource.inputs.project), 'slug') ?? declared?.slug ?? '';
}
