import { planFilesIn } from '../disk/sources.js';
import type { Service } from '../execute/ports.js';
import { canonicalJson } from '../model/canonical.js';
import type { Change, ChangeSet } from '../model/change.js';
import { parseCertificateId, type ResourceId } from '../model/id.js';
import { isJsonObject, member, textMember, type Json } from '../model/json.js';
import { comparable } from '../kinds/version.js';
import type { Plan } from '../model/plan.js';
import type { FileInput, InputsOf } from '../model/resource.js';
import { imageType } from '../plan/image.js';
import type { PlanFiles } from '../plan/files.js';
import type { PageMaterial, RowSample, SourcePair, VersionSources } from '../report/page-material.js';
import { valueText } from '../report/value-text.js';
import type { LineageState } from '../state/project.js';

/** Rows of a batch that a page shows: the first ones and the last. */
const FIRST_ROWS = 5;
/** Largest picture that stands in a page, and all of them together, in bytes. */
const MAX_PICTURE = 150_000;
const MAX_PICTURES = 600_000;
/** Largest source that a page compares, in bytes. */
const MAX_SOURCE = 1_000_000;

/** What material is read from. Without a service nothing is asked, and sources before are not at hand. */
export interface MaterialParts {
  readonly plan: Plan;
  readonly folder: string;
  readonly state: LineageState;
  readonly service: Pick<Service, 'read'> | undefined;
}

/**
 * Reads what is shown beside the change set: sources before and after, and, of everything, samples of batches with
 * pictures.
 */
export async function readMaterial(
  changeSet: ChangeSet,
  parts: MaterialParts,
  asked: 'everything' | 'sources' = 'everything',
): Promise<Pick<PageMaterial, 'sources' | 'rows'>> {
  const files = planFilesIn(parts.folder);
  const sources = await readSources(changeSet, parts, files);
  return asked === 'sources' ? { sources } : { sources, rows: await readRows(changeSet, parts.plan, files) };
}

async function readSources(
  { changes }: ChangeSet,
  parts: MaterialParts,
  files: PlanFiles,
): Promise<ReadonlyMap<ResourceId, VersionSources>> {
  const found = new Map<ResourceId, VersionSources>();
  for (const change of changes.filter(({ kind, action }) => kind === 'version' && action !== 'none')) {
    const resource = parts.plan.resources.find(({ id }) => id === change.id);
    if (resource?.kind !== 'version') continue;
    found.set(change.id, await versionSources(change, resource.inputs, parts, files));
  }
  return found;
}

async function versionSources(
  change: Change,
  inputs: InputsOf['version'],
  parts: MaterialParts,
  files: PlanFiles,
): Promise<VersionSources> {
  const after = await textsOf(inputs.sources, files);
  const base =
    change.follows?.id ?? (change.action === 'update' || change.action === 'blocked' ? change.id : undefined);
  if (base === undefined) return { files: pairs(new Map(), after) };
  const before =
    (await sourcesOf(base, inputs.project, parts)) ?? (await declaredSources(base, parts, files));
  if (before !== undefined) return { base, files: pairs(before, after) };
  const missing = `The sources of ${base} are not at hand here, so these are whole; windlass plan --format html reads them.`;
  return { base, missing, files: pairs(new Map(), after) };
}

/** The sources of a version as the service has them; undefined when one of them cannot be read. */
async function sourcesOf(
  id: ResourceId,
  project: ResourceId,
  parts: MaterialParts,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { service } = parts;
  const params = slugsOf(id, project, parts);
  if (service === undefined || params === undefined) return undefined;
  const detail = await service.read({ type: 'service', endpoint: 'version.detail', params });
  const listed = detail.type === 'found' ? member(detail.value, 'contract_files') : undefined;
  if (!Array.isArray(listed)) return undefined;
  const texts = new Map<string, string>();
  for (const file of (listed as readonly Json[]).filter(isJsonObject)) {
    const answer = await service.read({ type: 'file', url: textMember(file, 'url') ?? '', text: true });
    const text = answer.type === 'found' ? textMember(answer.value, 'text') : undefined;
    if (text === undefined) return undefined;
    texts.set(textMember(file, 'filename') ?? '', text);
  }
  return texts;
}

/** The sources of a version that the plan still declares as it is locked, from the plan's files. */
async function declaredSources(
  id: ResourceId,
  { plan, state }: MaterialParts,
  files: PlanFiles,
): Promise<ReadonlyMap<string, string> | undefined> {
  const declared = plan.resources.find((resource) => resource.id === id);
  const locked = member(state.lock?.entries.get(id)?.inputs, 'sources');
  if (declared?.kind !== 'version' || locked === undefined) return undefined;
  if (canonicalJson(comparable(declared.inputs)['sources'] ?? null) !== canonicalJson(locked))
    return undefined;
  const texts = await textsOf(declared.inputs.sources, files);
  return texts.size === declared.inputs.sources.length ? texts : undefined;
}

/** Texts by file name, of those that can be read and are what the plan was loaded with. */
async function textsOf(
  sources: InputsOf['version']['sources'],
  files: PlanFiles,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const source of sources) {
    const text = source.rewritten ?? (await textOf(source, files));
    if (text !== undefined) texts.set(source.filename, text);
  }
  return texts;
}

function slugsOf(
  id: ResourceId,
  project: ResourceId,
  { state, plan }: MaterialParts,
): Readonly<Record<'projectSlug' | 'versionSlug', string>> | undefined {
  const entries = state.lock?.entries;
  const declared = plan.resources.find((resource) => resource.id === project);
  const projectSlug =
    textMember(entries?.get(project)?.outputs, 'slug') ?? textMember(declared?.inputs, 'slug');
  const versionSlug = textMember(entries?.get(id)?.outputs, 'slug');
  return projectSlug === undefined || versionSlug === undefined ? undefined : { projectSlug, versionSlug };
}

async function textOf(source: FileInput, files: PlanFiles): Promise<string | undefined> {
  const reading = await files.read(source.path, MAX_SOURCE);
  if (reading.status !== 'ok' || reading.digest !== source.digest) return undefined;
  return new TextDecoder().decode(reading.bytes);
}

function pairs(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly SourcePair[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().map((filename) => {
    const [old, fresh] = [before.get(filename), after.get(filename)];
    return {
      filename,
      ...(old !== undefined && { before: old }),
      ...(fresh !== undefined && { after: fresh }),
    };
  });
}

async function readRows(
  { changes }: ChangeSet,
  plan: Plan,
  files: PlanFiles,
): Promise<ReadonlyMap<string, readonly RowSample[]>> {
  const batches = new Map<string, ResourceId[]>();
  for (const { id, action } of changes) {
    const batch = parseCertificateId(id)?.batch;
    if (batch === undefined || action === 'none' || action === 'forget') continue;
    const ids = batches.get(batch);
    if (ids) ids.push(id);
    else batches.set(batch, [id]);
  }
  const resources = new Map(plan.resources.map((resource) => [resource.id, resource]));
  const found = new Map<string, readonly RowSample[]>();
  const room = { bytes: MAX_PICTURES };
  for (const [batch, ids] of batches) {
    const chosen = ids.length > FIRST_ROWS + 1 ? [...ids.slice(0, FIRST_ROWS), ...ids.slice(-1)] : ids;
    const samples: RowSample[] = [];
    for (const id of chosen) {
      const resource = resources.get(id);
      if (resource?.kind === 'certificate') samples.push(await sampleOf(id, resource.inputs, files, room));
    }
    found.set(batch, samples);
  }
  return found;
}

async function sampleOf(
  id: ResourceId,
  { name, description, attributes, image, to }: InputsOf['certificate'],
  files: PlanFiles,
  room: { bytes: number },
): Promise<RowSample> {
  const dataUri = await pictureOf(image, files, Math.min(MAX_PICTURE, room.bytes));
  room.bytes -= dataUri === undefined ? 0 : image.sizeBytes;
  const { path, sizeBytes } = image;
  return {
    id,
    name,
    description,
    attributes,
    to: typeof to === 'string' ? to : valueText(to),
    image: { path, sizeBytes, ...(dataUri !== undefined && { dataUri }) },
  };
}

async function pictureOf(image: FileInput, files: PlanFiles, maxBytes: number): Promise<string | undefined> {
  if (image.sizeBytes > maxBytes) return undefined;
  const reading = await files.read(image.path, maxBytes);
  if (reading.status !== 'ok' || reading.digest !== image.digest) return undefined;
  const type = imageType(reading.bytes);
  if (type === undefined || type === 'application/pdf') return undefined;
  return `data:${type};base64,${Buffer.from(reading.bytes).toString('base64')}`;
}
