/** Every resource kind, in the order in which reports group them. */
export const KIND_NAMES = [
  'wallet',
  'project',
  'version',
  'deployment',
  'contract',
  'audit-contract',
  'category',
  'tag',
  'audit-record',
  'certificate-contract',
  'certificate',
  'transfer',
] as const;

/** One of {@link KIND_NAMES}. */
export type KindName = (typeof KIND_NAMES)[number];

/**
 * Stable name of a resource: `wallet.NAME`, `version.SLUG@VERSION`, `contract.DEPLOYMENT.INSTANCE`,
 * `certificate.BATCH[KEY]`, … (design §1). Flags, lockfile keys and steps use it.
 */
export type ResourceId = `${KindName}.${string}`;

/** One sending of a step: `ID#attempt`, attempts counted from 1. */
export type StepId = `${ResourceId}#${number}`;

/** The id of `kind` and its name within the kind. */
export function resourceId(kind: KindName, name: string): ResourceId {
  return `${kind}.${name}`;
}

/** Reads an id as people type it; undefined when the kind is unknown or the name empty. */
export function parseResourceId(
  text: string,
): { readonly kind: KindName; readonly name: string } | undefined {
  const dot = text.indexOf('.');
  const kind = KIND_NAMES.find((name) => name === text.slice(0, dot));
  const name = text.slice(dot + 1);
  return dot < 0 || kind === undefined || name === '' ? undefined : { kind, name };
}

/**
 * A record of one resource. Without a prototype it is a plain table: a literal whose one name is computed gets a hidden class
 * of its own, which takes V8 ten times as long. So it has no methods either: not to be made a string of.
 */
export function recordOf<Value>(id: ResourceId, value: Value): Readonly<Record<ResourceId, Value>> {
  const record = Object.create(null) as Record<ResourceId, Value>;
  record[id] = value;
  return record;
}

/** The kind of an id. */
export function kindOf(id: ResourceId): KindName {
  return id.slice(0, id.indexOf('.')) as KindName;
}

/** The part after the kind. */
export function nameOf(id: ResourceId): string {
  return id.slice(id.indexOf('.') + 1);
}

/** `certificate.BATCH[KEY]`. The key may hold any character; the batch holds no bracket. */
export function certificateId(batch: string, key: string): ResourceId {
  return `certificate.${batch}[${key}]`;
}

/** Batch and row key of a certificate id; undefined for every other id. */
export function parseCertificateId(
  id: ResourceId,
): { readonly batch: string; readonly key: string } | undefined {
  const match = /^certificate\.([^[]+)\[([^]*)\]$/.exec(id);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { batch: match[1], key: match[2] };
}

/** The step of an id's n-th attempt. */
export function stepId(id: ResourceId, attempt: number): StepId {
  return `${id}#${attempt}`;
}

/** Resource and attempt of a step id; undefined when it is not one. */
export function parseStepId(text: string): { readonly id: ResourceId; readonly attempt: number } | undefined {
  const match = /^([^]+)#([1-9][0-9]*)$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return parseResourceId(match[1]) && { id: match[1] as ResourceId, attempt: Number(match[2]) };
}
