import { certificateId, resourceId, type ResourceId } from '../model/id.js';
import type { AddressInput, InputsOf } from '../model/resource.js';
import type { Batch } from './batches.js';
import { declare, type Drafting, type Edge } from './draft.js';
import { suggestName } from './nearest.js';
import { child, entriesOf, scalarOf, type Entry, type PlanNode, type ScalarNode, type Span } from './node.js';
import { readParty } from './party.js';
import { readPlainText } from './text.js';

interface Transfer {
  readonly id: ResourceId;
  readonly at: Span;
  readonly inputs: InputsOf['transfer'];
  readonly edges: Edge[];
  readonly fromAt: Span;
  /** Receiver of the certificate when it is minted; undefined for tokens that exist already. */
  readonly minted: AddressInput | undefined;
}

/** Declares transfers. Several of one token follow one another as it changes hands. */
export function readTransfers(
  document: PlanNode,
  batches: ReadonlyMap<string, Batch>,
  drafting: Drafting,
): void {
  const entries = entriesOf(child(document, 'certificates', 'transfers'));
  const transfers = entries.flatMap((entry) => readTransfer(entry, batches, drafting) ?? []);
  const byToken = new Map<string, Transfer[]>();
  for (const transfer of transfers) {
    const { token, contract } = transfer.inputs;
    const key = 'ref' in token ? token.ref : `${JSON.stringify(contract)} ${token.tokenId}`;
    byToken.set(key, [...(byToken.get(key) ?? []), transfer]);
  }
  for (const chain of byToken.values()) followHolders(chain, drafting);
  for (const { id, at, inputs, edges } of transfers)
    declare(drafting, { id, kind: 'transfer', inputs, edges, at });
}

function readTransfer(
  { key, keySpan: at, value }: Entry,
  batches: ReadonlyMap<string, Batch>,
  drafting: Drafting,
): Transfer | undefined {
  const edges: Edge[] = [];
  const contract = readParty(child(value, 'contract'), ['certificate-contract'], drafting, edges);
  const contractId = edges[0]?.to;
  const from = readParty(child(value, 'from'), ['wallet'], drafting, edges);
  const to = readParty(child(value, 'to'), ['wallet'], drafting, edges);
  const tokenNode = scalarOf(child(value, 'token'));
  const token = tokenNode && readToken(tokenNode, { batches, contractId, edges }, drafting);
  if (contract === undefined || from === undefined || to === undefined || token === undefined)
    return undefined;
  const fromAt = child(value, 'from')?.span ?? at;
  const { minted, ...named } = token;
  return {
    id: resourceId('transfer', key),
    at,
    inputs: { contract, token: named.token, from, to },
    edges,
    fromAt,
    minted,
  };
}

interface TokenContext {
  readonly batches: ReadonlyMap<string, Batch>;
  readonly contractId: ResourceId | undefined;
  readonly edges: Edge[];
}

function readToken(
  node: ScalarNode,
  context: TokenContext,
  drafting: Drafting,
): { readonly token: InputsOf['transfer']['token']; readonly minted: AddressInput | undefined } | undefined {
  const text = readPlainText(node, drafting);
  if (text === undefined) return undefined;
  if (/^(?:0|[1-9][0-9]*)$/.test(text)) return { token: { tokenId: text }, minted: undefined };
  const [, name = '', key = ''] = /^([^[\]]+)\[([^]*)\]$/.exec(text) ?? [];
  const batch = context.batches.get(name);
  const fault = tokenFault(text, { name, key, batch }, context);
  if (fault !== undefined) {
    drafting.problems.report({ code: 'PLAN_UNKNOWN_REFERENCE', at: node.span, ...fault });
    return undefined;
  }
  const ref = certificateId(name, key);
  context.edges.push({ to: ref, at: node.span });
  return { token: { ref }, minted: batch?.receivers?.get(key) };
}

/** Why `BATCH[KEY]` names no certificate of the contract. */
function tokenFault(
  text: string,
  { name, key, batch }: { readonly name: string; readonly key: string; readonly batch: Batch | undefined },
  { batches, contractId }: TokenContext,
): { readonly message: string; readonly fix?: string } | undefined {
  const withFix = (message: string, fix: string | undefined) => ({ message, ...(fix && { fix }) });
  if (name === '') {
    return withFix(
      `"${text}" is neither BATCH[KEY] nor the number of a token.`,
      'Write e.g. class-of-2026[S-1001].',
    );
  }
  if (batch === undefined) {
    return withFix(
      `No batch "${name}" is declared under certificates.batches.`,
      suggestName(name, [...batches.keys()]),
    );
  }
  const { receivers, contract } = batch;
  if (receivers !== undefined && !receivers.has(key)) {
    return withFix(
      `The batch "${name}" has no row with the key "${key}".`,
      suggestName(key, [...receivers.keys()]),
    );
  }
  const isOther = contractId !== undefined && contract !== undefined && contract !== contractId;
  return isOther ? { message: `${text} is a certificate of ${contract}, not of ${contractId}.` } : undefined;
}

/** Chains the transfers of one token from holder to holder; one whose sender never holds it is reported. */
function followHolders(chain: readonly Transfer[], drafting: Drafting): void {
  const [first] = chain;
  if (first === undefined) return;
  const { isDoubted } = drafting.names;
  if (chain.some(({ inputs, minted }) => [inputs.from, inputs.to, minted].some(isDoubted))) return;
  const open = [...chain];
  let holder: AddressInput | undefined = first.minted ?? first.inputs.from;
  let last: Transfer | undefined;
  for (;;) {
    const next = open.find(({ inputs }) => sameAddress(inputs.from, holder));
    if (next === undefined) break;
    if (last !== undefined) next.edges.push({ to: last.id, at: next.fromAt });
    open.splice(open.indexOf(next), 1);
    [holder, last] = [next.inputs.to, next];
  }
  for (const { fromAt: at } of first.minted === undefined && last === undefined ? [] : open) {
    const message = 'The sender does not hold this certificate when the transfer is due.';
    const fix = 'Transfer it from the wallet that the batch or the transfer before gives it to.';
    drafting.problems.report({ code: 'PLAN_NOT_OWNER', at, message, fix });
  }
}

function sameAddress(a: AddressInput, b: AddressInput | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
