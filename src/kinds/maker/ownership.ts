import { kindOf, nameOf, type KindName, type ResourceId } from '../../model/id.js';
import { textMember } from '../../model/json.js';
import type { Capability, EndpointName } from '../../protocol/endpoint.js';
import type { LockEntry } from '../../state/lock.js';
import { shownInstances } from '../constructor.js';
import { idText, objectOf } from '../listing.js';
import type { ReadAnswer, ReadRequest } from '../operation.js';
import { sameAddress } from '../receipt.js';

/** A read of something locked that shows whether it belongs to the organisation of the key in use. */
export interface OwnershipRead {
  readonly id: ResourceId;
  readonly request: ReadRequest;
  /**
   * `own`: an organisation is shown its own alone, and the name is one that no other organisation's thing can have.
   * `named`: another organisation may have one of the same name, so that its absence tells more than its presence.
   */
  readonly strength: 'own' | 'named';
  /** True: it is there; false: it is not; undefined: the answer tells nothing. */
  readonly shows: (answer: ReadAnswer) => boolean | undefined;
}

/** What is locked, for reads that need the names of two things. */
export type Entries = ReadonlyMap<ResourceId, LockEntry>;

/**
 * The read that shows whose a locked thing is; undefined where this environment has none, or where everybody may be shown
 * it: what is on a chain, records and certificates that several organisations have a part in.
 */
export function ownershipRead(
  entry: LockEntry,
  entries: Entries,
  capabilities: ReadonlySet<Capability>,
): OwnershipRead | undefined {
  const { id, outputs } = entry;
  const address = outputs.address ?? '';
  const kind = kindOf(id);
  const endpoint = capabilities.has('lists') ? DETAILS.get(kind) : undefined;
  if (endpoint !== undefined) return own(id, { type: 'service', endpoint, params: { address } });
  if (kind === 'contract') return contractRead(entry, entries, capabilities);
  if (kind === 'version') return versionRead(entry, entries);
  return kind === 'category' || kind === 'tag' ? labelRead(entry, capabilities.has('lists')) : undefined;
}

/** Where the service shows a thing of one organisation by its address, with the capability `lists`. */
const DETAILS: ReadonlyMap<KindName, EndpointName> = new Map<KindName, EndpointName>([
  ['audit-contract', 'audit.contract.detail'],
  ['certificate-contract', 'certificate.contract.detail'],
  ['wallet', 'wallet.detail'],
]);

function own(id: ResourceId, request: ReadRequest): OwnershipRead {
  return { id, request, strength: 'own', shows: isThere };
}

function isThere(answer: ReadAnswer): boolean | undefined {
  return answer.type === 'unreadable' ? undefined : answer.type === 'found';
}

function contractRead(
  { id, inputs, outputs }: LockEntry,
  entries: Entries,
  capabilities: ReadonlySet<Capability>,
): OwnershipRead | undefined {
  const { address = '' } = outputs;
  if (capabilities.has('instances'))
    return own(id, { type: 'service', endpoint: 'instance.detail', params: { address } });
  const version = textMember(inputs, 'version');
  const entry = version === undefined ? undefined : entries.get(version as ResourceId);
  const read = entry && versionRead(entry, entries);
  // The version's detail leaves out contracts without events, and shows what others deployed from it.
  return (
    read && {
      id,
      request: read.request,
      strength: 'own',
      shows: (answer) =>
        shownInstances(objectOf(answer) ?? {}).some((item) => sameAddress(item.address, address)) ||
        undefined,
    }
  );
}

function versionRead({ id, outputs }: LockEntry, entries: Entries): OwnershipRead | undefined {
  const project = nameOf(id).slice(0, nameOf(id).lastIndexOf('@'));
  const projectSlug = textMember(entries.get(`project.${project}`)?.outputs, 'slug') ?? project;
  const versionSlug = textMember(outputs, 'slug');
  if (versionSlug === undefined) return undefined;
  const params = { projectSlug, versionSlug };
  const request: ReadRequest = { type: 'service', endpoint: 'version.detail', params };
  return { id, request, strength: 'named', shows: isThere };
}

function labelRead({ id, outputs }: LockEntry, isListed: boolean): OwnershipRead | undefined {
  const number = idText(outputs['id']);
  if (!isListed || number === undefined) return undefined;
  const endpoint = kindOf(id) === 'tag' ? 'audit.tag.detail' : 'audit.category.detail';
  return {
    id,
    request: { type: 'service', endpoint, params: { id: number } },
    strength: 'named',
    shows: isThere,
  };
}
