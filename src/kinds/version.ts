import { digestOfBytes } from '../model/canonical.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { InputsOf, Resource } from '../model/resource.js';
import type { Kind, Knowledge, Observation, Sighting } from './kind.js';
import { onlyResource } from './knowledge.js';
import { itemsOf, namesBefore, newItems, objectOf, textsOf } from './listing.js';
import type { Known, Operation, ReadAnswer, ReadRequest, Verdict } from './operation.js';

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
    if (locked !== undefined) return [];
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
  differs: (_resource, _fields, { sealed }) =>
    sealed === true
      ? {
          action: 'blocked',
          reason: 'the version is deployed and can no longer be changed',
          fix: 'declare a new version name',
        }
      : { action: 'update', reason: 'sources or settings changed and the version is not deployed yet' },
  provable: () => true,
  operation: (_resource, update) => (update ? 'version.update' : 'version.create'),
  lane: ({ inputs }) => `project:${inputs.project}`,
};

function comparable(inputs: Inputs): JsonObject {
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

function packageSpecs(inputs: Inputs): readonly string[] {
  return inputs.packages.map(({ name, version: pinned }) =>
    pinned === undefined ? name : `${name}@${pinned}`,
  );
}

function observed(sight: Sighting<'version'>, detail: ReadAnswer, locked: boolean): Observation {
  const found = objectOf(detail) ?? {};
  const slug = textMember(found, 'slug');
  const compiled = Array.isArray(found['artifacts']) && found['artifacts'].length > 0;
  const failed = (textMember(found, 'latest_error') ?? '') !== '';
  const sources = locked ? {} : { sources: downloaded(found, sight.answers.slice(2)) };
  return {
    sight: 'present',
    outputs: { ...(slug !== undefined && { slug }), bytecode: bytecodeDigests(found) },
    inputs: {
      compiler: readCompiler(found, sight),
      packages: found['packages'] ?? [],
      ...sources,
      ...(failed && !compiled && { compiled: false }),
    },
    sealed: textMember(found, 'status') === 'deployed' || typeof found['last_deployed_at'] === 'string',
  };
}

function downloaded(detail: JsonObject, files: readonly ReadAnswer[]): JsonObject {
  const names = textsOf(listMember(detail, 'contract_files'), 'filename');
  const digests = files.map((answer) =>
    answer.type === 'found' ? (textMember(answer.value, 'digest') ?? null) : null,
  );
  return Object.fromEntries(names.map((name, index) => [name, digests[index] ?? null]));
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

/** Creates a version, or updates one that is not deployed; done when it is compiled. Nothing calls back. */
export function submitVersion(update: boolean): Operation {
  return {
    silent: true,
    prepare: (view, answers) => {
      const resource = onlyResource(view, 'version');
      const projectSlug = projectSlugOf(resource, view.knowledge);
      if (answers.length === 0)
        return [{ type: 'service', endpoint: 'version.list', params: { projectSlug } }];
      const slug = slugIn(answers[0], resource.inputs.name);
      return update && slug !== undefined && answers.length === 1 ? [detailRead(projectSlug, slug)] : [];
    },
    request: (view, answers) => {
      const resource = onlyResource(view, 'version');
      const projectSlug = projectSlugOf(resource, view.knowledge);
      const slug = update ? slugIn(answers[0], resource.inputs.name) : undefined;
      const detail = objectOf(answers[1]);
      return {
        type: 'write',
        request: {
          endpoint: slug === undefined ? 'version.create' : 'version.update',
          params: slug === undefined ? { projectSlug } : { projectSlug, versionSlug: slug },
          body: requestBody(resource.inputs),
          files: resource.inputs.sources.map((file) => ({
            field: 'contract_files[]',
            filename: file.filename,
            file,
          })),
          takesCallback: false,
        },
        context: {
          project: projectSlug,
          name: resource.inputs.name,
          before: namesBefore(answers[0], 'slug'),
          ...(slug !== undefined && { slug }),
          compiledBefore: textMember(detail, 'last_compiled_at') ?? null,
          errorBefore: textMember(detail, 'latest_error') ?? '',
        },
        inputs: { [resource.id]: comparable(resource.inputs) },
      };
    },
    accept: (result) => {
      const slug = textMember(result, 'slug');
      return slug === undefined ? undefined : { slug };
    },
    proofs: (known, answers) => {
      const projectSlug = textMember(known.context, 'project') ?? '';
      const slug = textMember(known.ids, 'slug') ?? textMember(known.context, 'slug');
      if (slug !== undefined) return answers.length === 0 ? [detailRead(projectSlug, slug)] : [];
      if (answers.length === 0)
        return [{ type: 'service', endpoint: 'version.list', params: { projectSlug } }];
      const fresh = freshSlug(known, answers[0]);
      return answers.length === 1 && fresh !== undefined ? [detailRead(projectSlug, fresh)] : [];
    },
    judge: (known, answers) => judgeCompiled(known, objectOf(answers.at(-1))),
  };
}

function judgeCompiled(known: Known, detail: JsonObject | undefined): Verdict {
  const slug = textMember(detail, 'slug');
  const [id] = known.resources;
  const compiledAt = textMember(detail, 'last_compiled_at') ?? null;
  if (detail === undefined || slug === undefined || id === undefined) return { type: 'wait' };
  const error = textMember(detail, 'latest_error') ?? '';
  const compiled = compiledAt !== null && compiledAt !== known.context['compiledBefore'];
  // An error of an earlier compilation may stay until the next one ends.
  if (error !== '' && (compiled || error !== known.context['errorBefore']))
    return { type: 'failed', grade: 'B', message: error, outputs: {} };
  if (!compiled || listMember(detail, 'artifacts').length === 0) return { type: 'wait' };
  return { type: 'confirmed', grade: 'B', outputs: { [id]: { slug, bytecode: bytecodeDigests(detail) } } };
}

function requestBody({ name, compiler, ...inputs }: Inputs): JsonObject {
  const { enabled, runs } = compiler.optimizer;
  const packages = packageSpecs(inputs as Inputs);
  const solidity = { version: compiler.solidity, settings: { optimizer: { enabled, runs } } };
  return { version: name, compiler_settings: { solidity }, ...(packages.length > 0 && { packages }) };
}

function bytecodeDigests(detail: JsonObject): JsonObject {
  return Object.fromEntries(
    listMember(detail, 'artifacts').flatMap((artifact) => {
      const name = textMember(artifact, 'contract_name');
      const bytecode = textMember(artifact, 'bytecode');
      return name === undefined || bytecode === undefined || bytecode.length <= 2
        ? []
        : [[name, digestOfBytes(bytecode.toLowerCase())]];
    }),
  );
}

function freshSlug(known: Known, list: ReadAnswer | undefined): string | undefined {
  const fresh = newItems(list, 'slug', known).filter((item) => item['version'] === known.context['name']);
  return textsOf(fresh, 'slug')[0];
}

function slugIn(list: ReadAnswer | undefined, name: string): string | undefined {
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

function listMember(value: JsonObject, key: string): readonly JsonObject[] {
  return itemsOf({ type: 'found', value: value[key] ?? null, source: 'read' });
}

function detailRead(projectSlug: string, versionSlug: string): ReadRequest {
  return { type: 'service', endpoint: 'version.detail', params: { projectSlug, versionSlug } };
}

function projectSlugOf(resource: Resource<'version'>, knowledge: Knowledge): string {
  const declared = knowledge.resource(resource.inputs.project)?.inputs as InputsOf['project'] | undefined;
  return textMember(knowledge.outputs(resource.inputs.project), 'slug') ?? declared?.slug ?? '';
}
