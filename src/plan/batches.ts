import type { ResourceId } from '../model/id.js';
import { readBatchRows } from './batch-rows.js';
import type { CertificateContract } from './certificates.js';
import type { Drafting, Edge } from './draft.js';
import { child, entriesOf, scalarOf, textOf, type Entry, type PlanNode } from './node.js';
import { readParty } from './party.js';
import { mintRows, type BatchFrame } from './mint-rows.js';
import { reportPlaceholders, readText, type AuthoredText, type Columns } from './text.js';
import type { AddressInput } from '../model/resource.js';

/** The certificates of one batch, as transfers need them. */
export interface Batch {
  readonly contract: ResourceId | undefined;
  /** Receiver by row key; undefined when the rows could not be read. */
  readonly receivers: ReadonlyMap<string, AddressInput | undefined> | undefined;
}

/** Declares one certificate per row of each batch; gives the batches by name. */
export async function readBatches(
  document: PlanNode,
  contracts: ReadonlyMap<ResourceId, CertificateContract>,
  drafting: Drafting,
): Promise<ReadonlyMap<string, Batch>> {
  const batches = new Map<string, Batch>();
  const minted = new Map<ResourceId, number>();
  for (const entry of entriesOf(child(document, 'certificates', 'batches'))) {
    const batch = await readBatch(entry, contracts, drafting);
    batches.set(entry.key, batch);
    const { contract, receivers } = batch;
    if (contract !== undefined) minted.set(contract, (minted.get(contract) ?? 0) + (receivers?.size ?? 0));
  }
  for (const [id, count] of minted) {
    const supply = contracts.get(id)?.maxSupply;
    if (supply === undefined || count <= supply.count) continue;
    const message = `The batches of this contract hold ${count} certificates, more than max_supply allows.`;
    drafting.problems.report({ code: 'PLAN_MAX_SUPPLY', at: supply.at, message });
  }
  return batches;
}

async function readBatch(
  { key: name, keySpan: at, value }: Entry,
  contracts: ReadonlyMap<ResourceId, CertificateContract>,
  drafting: Drafting,
): Promise<Batch> {
  const edges: Edge[] = [];
  const address = readParty(child(value, 'contract'), ['certificate-contract'], drafting, edges);
  const contract = contracts.get(edges[0]?.to ?? 'certificate-contract.');
  if (address !== undefined && contract === undefined) reportForeignContract(value, drafting);
  const { rows, columns } = await readBatchRows(value, drafting);
  const texts = readTexts(value, drafting, columns === undefined ? 'any' : new Set(columns));
  const id = contract?.id;
  if (rows === undefined) return { contract: id, receivers: undefined };
  const frame: BatchFrame = {
    name,
    at,
    rows,
    texts,
    edges: [...edges, ...(contract?.ownerEdges ?? [])],
    contract: address,
    owner: contract?.owner,
    marker: markerOf(value),
  };
  const receivers = await mintRows(frame, drafting);
  return { contract: id, receivers: rows.hasKeys ? receivers : undefined };
}

function markerOf(value: PlanNode): BatchFrame['marker'] {
  return textOf(child(value, 'marker')) === 'none' ? 'none' : 'attribute';
}

function reportForeignContract(value: PlanNode, { problems }: Drafting): void {
  const at = child(value, 'contract')?.span ?? value.span;
  const message =
    'A batch mints from a certificate contract of this plan, because its owner has to be known.';
  const fix = 'Declare it under certificates.contracts with `address` and `owner`, and use its name.';
  problems.report({ code: 'PLAN_UNKNOWN_REFERENCE', at, message, fix });
}

function readTexts(value: PlanNode, drafting: Drafting, columns: Columns): BatchFrame['texts'] {
  const read = (node: PlanNode | undefined): AuthoredText | undefined => {
    const scalar = scalarOf(node);
    return scalar && readText(scalar, drafting, columns);
  };
  const readLiteral = (node: PlanNode | undefined): AuthoredText | undefined => {
    const text = read(node);
    if (text !== undefined) reportPlaceholders(text, drafting);
    return text;
  };
  return {
    to: read(child(value, 'to')),
    name: readLiteral(child(value, 'name')),
    description: readLiteral(child(value, 'description')),
    image: readLiteral(child(value, 'image')),
    attributes: entriesOf(child(value, 'attributes')).map(({ key, value: node }) => ({
      trait: key,
      text: readLiteral(node),
    })),
  };
}
