import { recordOf } from '../model/id.js';
import { digestOfBytes } from '../model/canonical.js';
import { invariant } from '../model/error.js';
import { isJsonObject, textMember, type Json, type JsonObject } from '../model/json.js';
import type { Resource } from '../model/resource.js';
import { fillPlaceholders } from '../model/value.js';
import { metadataChange, type MetadataChange, plainMetadata, wrapMetadata } from './envelope.js';
import { inputText } from '../state/packed-entry.js';
import type { Kind } from './kind.js';
import { onlyResource, settledAddress, settledInputs, walletLane } from './knowledge.js';
import { isNew, itemsOf, namesBefore } from './listing.js';
import type { Known, Operation, ReadRequest, StepView } from './operation.js';
import { sameAddress } from './receipt.js';
import { transactionHash, transactionOperation } from './transaction.js';

/** A record in an audit contract. Written once; a different fact is another record. */
export const auditRecord: Kind<'audit-record'> = {
  name: 'audit-record',
  verb: 'create',
  irreversible: true,
  isExisting: () => false,
  comparable: ({ inputs }) => inputs,
  observe: ({ entry, answers }) => {
    if (answers.length > 0) return [];
    const contract = inputText(entry, 'contract');
    const signer = inputText(entry, 'signer');
    return contract === undefined || signer === undefined ? [] : [recordsRead(contract, signer)];
  },
  seen: ({ entry, answers: [answer] }) => {
    if (entry === undefined || answer === undefined) return { sight: 'not-asked' };
    if (answer.type === 'unreadable') return { sight: 'unreadable', unreadable: answer.message };
    const shown = itemsOf(answer).find((item) =>
      sameAddress(textMember(item, 'transactionHash'), entry.outputs.transaction),
    );
    if (shown === undefined) return { sight: 'absent' };
    const change = alteredMetadata(entry.inputs, textMember(shown, 'metadata'));
    if (change === undefined) return { sight: 'present' };
    return { sight: 'present', inputs: { metadata: change.shown }, note: change.note };
  },
  differs: () => ({
    action: 'blocked',
    reason: 'a record that was written cannot be changed',
    fix: 'declare another record for the new fact, or restore the inputs',
  }),
  provable: () => true,
  operation: () => 'audit-record.create',
  lane: ({ inputs }) => walletLane(inputs.signer),
};

/** What a service shows encrypted, or not at all, cannot be compared. */
function alteredMetadata(inputs: Json, text: string | undefined): MetadataChange | undefined {
  if (!isJsonObject(inputs) || inputs['metadata'] === undefined || text === undefined) return undefined;
  const envelope = inputs['envelope'] === 'none' ? 'none' : 'digest';
  if (envelope === 'digest' && !text.startsWith('{')) return undefined;
  return metadataChange(inputs['metadata'], envelope, text);
}

/** Writes a record; found again by its metadata, which holds the step's key unless the envelope is off. */
export const writeAuditRecord: Operation = transactionOperation({
  tier: 'fact',
  prepare: (view, answers) => {
    const { inputs } = onlyResource(view, 'audit-record');
    // The envelope's key identifies the record by itself; without one the pre-image must.
    if (inputs.envelope === 'digest') return [];
    const read = recordsRead(settledAddress(view, inputs.contract), settledAddress(view, inputs.signer));
    return answers.length === 0 ? [read] : [];
  },
  request: (view, answers) => {
    const { id, inputs } = onlyResource(view, 'audit-record');
    const contract = settledAddress(view, inputs.contract);
    const signer = settledAddress(view, inputs.signer);
    const filled = fillPlaceholders(inputs.metadata, (ref) => view.addressOf(ref));
    const metadata = inputs.envelope === 'digest' ? wrapMetadata(filled, view.key) : plainMetadata(filled);
    return {
      type: 'write',
      request: {
        endpoint: 'audit.record.create',
        params: {},
        body: {
          wallet_address: signer,
          contract_address: contract,
          metadata,
          category_id: inputs.categories.map((ref) => labelId(view, ref)),
          tag_id: inputs.tags.map((ref) => labelId(view, ref)),
        },
        takesCallback: true,
      },
      context: {
        contract,
        signer,
        metadata: digestOfBytes(metadata),
        ...(inputs.envelope === 'none' && { before: namesBefore(answers[0], 'transactionHash') }),
      },
      inputs: recordOf(id, settledInputs(view, inputs)),
    };
  },
  accept: (result) => {
    const hash = textMember(result, 'metadatahash');
    if (textMember(result, 'transactionHash') === undefined) return undefined;
    return hash === undefined ? {} : { metadatahash: hash };
  },
  fromReceipt: ({ from, to }, known) => {
    const ours =
      sameAddress(from, textMember(known.context, 'signer')) &&
      sameAddress(to, textMember(known.context, 'contract'));
    return ours ? recordOutputs(textMember(known.ids, 'metadatahash')) : undefined;
  },
  listing: ({ context }, _abilities, listed) =>
    listed.length > 0
      ? []
      : [recordsRead(textMember(context, 'contract') ?? '', textMember(context, 'signer') ?? '')],
  fromListing: (known, answers) => {
    const answered = transactionHash(known);
    const item = itemsOf(answers[0])
      .filter((entry) => entry['status'] === 'success')
      .find((entry) =>
        answered === undefined
          ? isLostRecord(entry, known)
          : sameAddress(textMember(entry, 'transactionHash'), answered),
      );
    const transaction = textMember(item, 'transactionHash');
    const hash = textMember(known.ids, 'metadatahash') ?? textMember(item, 'metadatahash');
    return transaction === undefined ? undefined : { ...recordOutputs(hash), transaction };
  },
  fromCallback: (_facts, known) => recordOutputs(textMember(known.ids, 'metadatahash')),
});

/** True for a record with our metadata that proves no other step and, where metadata may repeat, was not there before. */
function isLostRecord(entry: JsonObject, known: Known): boolean {
  const hash = textMember(entry, 'transactionHash');
  const metadata = textMember(entry, 'metadata');
  if (hash === undefined || metadata === undefined || known.isTaken(hash)) return false;
  if (digestOfBytes(metadata) !== known.context['metadata']) return false;
  return known.context['before'] === undefined || isNew(hash, known.context['before']);
}

function recordOutputs(metadatahash: string | undefined): { readonly metadatahash?: string } {
  return metadatahash === undefined ? {} : { metadatahash };
}

function recordsRead(contract: string, signer: string): ReadRequest {
  const query = { wallet_address: signer, contract_address: contract, filter: 'from', status: 'success' };
  return { type: 'service', endpoint: 'audit.transactions', query };
}

function labelId(view: StepView, ref: Resource['id']): Json {
  const inputs = view.knowledge.resource(ref)?.inputs;
  const id = inputs !== undefined && 'id' in inputs ? inputs.id : view.knowledge.outputs(ref)?.['id'];
  invariant(id !== undefined, 'categories and tags are settled before records');
  return id;
}
