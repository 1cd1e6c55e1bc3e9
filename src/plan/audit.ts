import { resourceId, type ResourceId } from '../model/id.js';
import type { InputsOf } from '../model/resource.js';
import { declare, type Drafting, type Edge } from './draft.js';
import { suggestName } from './nearest.js';
import {
  booleanOf,
  child,
  entriesOf,
  integerOf,
  itemsOf,
  scalarOf,
  textOf,
  type Entry,
  type PlanNode,
  type Span,
} from './node.js';
import { orderMembers, type OrderGroup } from './order.js';
import { readParty } from './party.js';
import { readPlainText, readValue } from './text.js';

type LabelKind = 'category' | 'tag';

/** Declares the audit trail: contracts, categories, tags and records. */
export function readAudit(document: PlanNode, drafting: Drafting): readonly OrderGroup[] {
  const audit = child(document, 'audit');
  for (const entry of entriesOf(child(audit, 'contracts'))) readContract(entry, drafting);
  readLabels('category', child(audit, 'categories'), drafting);
  readLabels('tag', child(audit, 'tags'), drafting);
  const group: OrderGroup[number][] = [];
  for (const entry of entriesOf(child(audit, 'records'))) {
    const id = resourceId('audit-record', entry.key);
    group.push(...orderMembers(id, entry.value));
    readRecord(id, entry, drafting);
  }
  return [group];
}

function readContract({ key, keySpan: at, value }: Entry, drafting: Drafting): void {
  const id = resourceId('audit-contract', key);
  const address = drafting.names.byId(id)?.address;
  const nameNode = scalarOf(child(value, 'name'));
  const name = nameNode === undefined ? key : readPlainText(nameNode, drafting);
  const encryptData = booleanOf(child(value, 'encrypt_data')) ?? false;
  const inputs = address === undefined ? { name: name ?? key, encryptData } : { address };
  declare(drafting, { id, kind: 'audit-contract', inputs, edges: [], at });
}

/** A list of names creates them; a map names those that exist by `{id}` and creates the others. */
function readLabels(kind: LabelKind, node: PlanNode | undefined, drafting: Drafting): void {
  const seen = new Set<string>();
  const add = (name: string, at: Span, inputs: InputsOf['category'] = { name }): void => {
    if (seen.has(name)) {
      const message = `"${name}" is declared already.`;
      drafting.problems.report({ code: 'PLAN_DUPLICATE_KEY', at, message });
      return;
    }
    seen.add(name);
    declare(drafting, { id: resourceId(kind, name), kind, inputs, edges: [], at });
  };
  for (const item of itemsOf(node)) {
    const name = labelName(item, drafting);
    if (name !== undefined) add(name, item.span);
  }
  for (const { key, keySpan, value } of entriesOf(node)) {
    const id = integerOf(child(value, 'id'));
    add(key, keySpan, id === undefined ? { name: key } : { id });
  }
}

function labelName(node: PlanNode, drafting: Drafting): string | undefined {
  const scalar = scalarOf(node);
  return scalar && readPlainText(scalar, drafting);
}

function readRecord(id: ResourceId, { keySpan: at, value }: Entry, drafting: Drafting): void {
  const edges: Edge[] = [];
  const contract = readParty(child(value, 'contract'), ['audit-contract'], drafting, edges);
  const signer = readParty(child(value, 'signer'), ['wallet'], drafting, edges);
  const categories = readUses('category', child(value, 'categories'), drafting, edges);
  const tags = readUses('tag', child(value, 'tags'), drafting, edges);
  const metadataNode = child(value, 'metadata');
  const metadata = metadataNode && readMetadata(metadataNode, drafting, edges);
  const envelope = textOf(child(value, 'envelope')) === 'none' ? 'none' : 'digest';
  if (contract === undefined || signer === undefined || metadata === undefined) return;
  const inputs: InputsOf['audit-record'] = { contract, signer, metadata, envelope, categories, tags };
  declare(drafting, { id, kind: 'audit-record', inputs, edges, at });
}

/** Metadata that is one number is sent as the text that stands there. */
function readMetadata(
  node: PlanNode,
  drafting: Drafting,
  edges: Edge[],
): InputsOf['audit-record']['metadata'] {
  const isNumber = node.type === 'scalar' && typeof node.value === 'number';
  return isNumber ? node.text : readValue(node, drafting, edges);
}

function readUses(
  kind: LabelKind,
  node: PlanNode | undefined,
  drafting: Drafting,
  edges: Edge[],
): readonly ResourceId[] {
  const section = kind === 'category' ? 'categories' : 'tags';
  const prefix = `${kind}.`;
  const known = drafting.drafts
    .filter(({ resource }) => resource.kind === kind)
    .map(({ resource }) => resource.id.slice(prefix.length));
  return itemsOf(node).flatMap((item) => {
    const name = labelName(item, drafting);
    if (name === undefined) return [];
    const id = resourceId(kind, name);
    edges.push({ to: id, at: item.span });
    if (known.includes(name)) return [id];
    const fix = suggestName(name, known);
    const message = `No ${kind} "${name}" is declared under audit.${section}.`;
    drafting.problems.report({ code: 'PLAN_UNKNOWN_REFERENCE', at: item.span, message, ...(fix && { fix }) });
    return [];
  });
}
