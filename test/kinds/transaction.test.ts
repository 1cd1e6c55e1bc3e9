import { describe, expect, test } from 'vitest';
import { writeAuditRecord } from '../../src/kinds/audit-record.js';
import { createAuditContract } from '../../src/kinds/audit-contract.js';
import { createCertificateContract } from '../../src/kinds/certificate-contract.js';
import type { Known } from '../../src/kinds/operation.js';
import { isToldApart } from '../../src/kinds/transaction.js';
import { digestOfBytes } from '../../src/model/canonical.js';
import type { JsonObject } from '../../src/model/json.js';
import { abilities, address, ALICE, hash, known, REGISTRAR } from '../support/builders.js';
import { ABSENT, found, hint, judged, UNREADABLE } from '../support/judging.js';

const TRAIL = address('trail');
const ALL = abilities();
const CORE = abilities({ capabilities: [] });
const ID = 'audit-record.shipped';

/** A record that was written to the trail and answered with a hash. */
function record(over: Partial<Known> = {}): Known {
  const context = { contract: TRAIL, signer: REGISTRAR, metadata: digestOfBytes('the metadata') };
  return known({ context, ids: { transactionHash: hash(1), metadatahash: '$2y$x' }, ...over });
}

function receipt(over: object = {}): ReturnType<typeof found> {
  return found({ transactionHash: hash(1), from: REGISTRAR, to: TRAIL, status: true, ...over });
}

function entry(transaction: string, metadata = 'the metadata'): JsonObject {
  return { transactionHash: transaction, metadata, status: 'success', metadatahash: '$2y$x' };
}

describe('a transaction', () => {
  test('is confirmed by the receipt of the hash that the service answered with', () => {
    const outputs = { [ID]: { metadatahash: '$2y$x', transaction: hash(1) } };
    expect(judged(writeAuditRecord, record(), ALL, { receipt: receipt() })).toEqual({
      type: 'confirmed',
      grade: 'B',
      outputs,
    });
    const chain = abilities({ capabilities: [], chain: true });
    const onChain = found({ transactionHash: hash(1), from: REGISTRAR, to: TRAIL, status: true }, 'chain');
    expect(judged(writeAuditRecord, record(), chain, { receipt: onChain })).toEqual({
      type: 'confirmed',
      grade: 'A',
      outputs,
    });
  });

  test('failed when that receipt says that it was reverted, in the words of the callback', () => {
    const reverted = { receipt: receipt({ status: false }), 'audit.transactions': found([]) };
    expect(judged(writeAuditRecord, record(), ALL, reverted)).toMatchObject({ type: 'failed', outputs: {} });
    const told = record({ callbacks: [hint('failed', { message: 'out of gas' })] });
    expect(judged(writeAuditRecord, told, ALL, reverted)).toMatchObject({ message: 'out of gas' });
  });

  test('took effect by another delivery of its request when the list shows that, though the answered one was reverted', () => {
    const reverted = { receipt: receipt({ status: false }) };
    const list = { 'audit.transactions': found([entry(hash(2))]) };
    expect(judged(writeAuditRecord, record(), ALL, { ...reverted, ...list })).toMatchObject({
      type: 'confirmed',
      grade: 'B',
      outputs: { [ID]: { transaction: hash(2) } },
    });
    const unread = { ...reverted, 'audit.transactions': UNREADABLE };
    expect(judged(writeAuditRecord, record(), ALL, unread)).toMatchObject({ type: 'wait' });
    expect(judged(writeAuditRecord, record({ late: true }), ALL, unread)).toMatchObject({ type: 'failed' });
  });

  test('waits while there is no receipt', () => {
    expect(judged(writeAuditRecord, record(), ALL, { receipt: ABSENT })).toMatchObject({ type: 'wait' });
  });

  test('is confirmed by the list where receipts cannot be read', () => {
    const list = { 'audit.transactions': found([entry(hash(2)), entry(hash(1))]) };
    expect(judged(writeAuditRecord, record(), CORE, list)).toMatchObject({
      type: 'confirmed',
      grade: 'B',
      outputs: { [ID]: { transaction: hash(1) } },
    });
  });

  test('is not proven by the transaction of somebody else that a callback names', () => {
    const forged = record({
      ids: {},
      outcome: 'ambiguous',
      callbacks: [hint('success', { transactionHash: hash(9) })],
    });
    const answers = {
      receipt: receipt({ transactionHash: hash(9) }),
      'audit.transactions': found([entry(hash(9), 'other')]),
    };
    expect(judged(writeAuditRecord, forged, ALL, answers)).toMatchObject({ type: 'wait' });
    expect(judged(writeAuditRecord, { ...forged, late: true }, ALL, answers)).toMatchObject({ type: 'wait' });
  });

  test('is not proven by a success callback where a read would show it', () => {
    const claimed = record({ callbacks: [hint('success', { transactionHash: hash(1) })] });
    expect(judged(writeAuditRecord, claimed, CORE, { 'audit.transactions': found([]) })).toEqual({
      type: 'wait',
    });
  });

  test('is found by its metadata when the answer was lost, unless it proves another step', () => {
    const lost = record({ ids: {}, outcome: 'ambiguous' });
    const list = { 'audit.transactions': found([entry(hash(3), 'other'), entry(hash(4))]) };
    expect(judged(writeAuditRecord, lost, ALL, list)).toMatchObject({
      type: 'confirmed',
      outputs: { [ID]: { transaction: hash(4) } },
    });
    const taken = { ...lost, isTaken: (name: string) => name === hash(4) };
    expect(judged(writeAuditRecord, taken, ALL, list)).toMatchObject({ type: 'wait' });
  });

  test('is not found by metadata that was there before, or when nobody could look before', () => {
    const list = { 'audit.transactions': found([entry(hash(4))]) };
    for (const before of [[hash(4)], null]) {
      const lost = record({ ids: {}, outcome: 'ambiguous' });
      const told = { ...lost, context: { ...lost.context, before } };
      expect(judged(writeAuditRecord, told, ALL, list)).toMatchObject({ type: 'wait' });
    }
  });
});

describe('a failure that only a callback tells', () => {
  const failed = hint('failed', { transactionHash: hash(1), message: 'reverted' });

  test('is believed of a fact only late and for the answered transaction', () => {
    const none = { 'audit.transactions': found([]) };
    const early = record({ callbacks: [failed] });
    expect(judged(writeAuditRecord, early, CORE, none)).toMatchObject({ type: 'wait' });
    expect(judged(writeAuditRecord, { ...early, late: true }, CORE, none)).toMatchObject({
      type: 'failed',
      grade: 'C',
      message: 'reverted',
    });
  });

  test('is not believed when it names another transaction, no transaction, or nothing was answered', () => {
    const none = { 'audit.transactions': found([]) };
    const forgeries: Partial<Known>[] = [
      { callbacks: [hint('failed', { transactionHash: hash(2) })] },
      { callbacks: [hint('failed')] },
      { callbacks: [failed], ids: {}, outcome: 'ambiguous' },
      { callbacks: [failed, hint('success', { transactionHash: hash(1) })] },
    ];
    for (const forged of forgeries)
      expect(judged(writeAuditRecord, record({ ...forged, late: true }), CORE, none)).toEqual({
        type: 'wait',
      });
  });

  test('does not stand against a list that shows the effect', () => {
    const list = { 'audit.transactions': found([entry(hash(1))]) };
    const told = record({ callbacks: [failed], late: true });
    expect(judged(writeAuditRecord, told, CORE, list)).toMatchObject({ type: 'confirmed' });
  });

  test('does not stand against a list that shows the effect of another delivery of the same request', () => {
    const list = { 'audit.transactions': found([entry(hash(7))]) };
    const told = record({ callbacks: [failed], late: true });
    expect(judged(writeAuditRecord, told, CORE, list)).toMatchObject({
      type: 'confirmed',
      outputs: { [ID]: { transaction: hash(7) } },
    });
    const others = { ...told, isTaken: (name: string) => name === hash(7) };
    expect(judged(writeAuditRecord, others, CORE, list)).toMatchObject({ type: 'failed' });
  });

  test('is believed of a container when lists show nothing after the horizon, never where nothing can be read', () => {
    const told = known({
      resources: ['audit-contract.releases'],
      context: { name: 'releases', before: [] },
      callbacks: [hint('failed')],
    });
    const list = { 'audit.contract.list': found([]) };
    expect(judged(createAuditContract, told, abilities(), list)).toMatchObject({ type: 'wait' });
    const late = { ...told, late: true };
    expect(judged(createAuditContract, late, abilities(), list)).toMatchObject({
      type: 'failed',
      grade: 'C',
    });
    expect(judged(createAuditContract, late, CORE)).toMatchObject({ type: 'wait' });
    const several = [address('one'), address('two')].map((made) => ({
      contract_address: made,
      contract_name: 'releases',
    }));
    const shown = { 'audit.contract.list': found(several) };
    expect(judged(createAuditContract, late, abilities(), shown)).toEqual({ type: 'wait', shown: true });
    const other = {
      ...late,
      ids: { transactionHash: hash(1) },
      callbacks: [hint('failed', { transactionHash: hash(2) })],
    };
    expect(judged(createAuditContract, other, abilities(), list)).toMatchObject({ type: 'wait' });
  });

  test('is found among several that say other things', () => {
    const answered = { ids: { transactionHash: hash(1) }, late: true };
    const named = hint('failed', { transactionHash: hash(1) });
    const told = record({ ...answered, callbacks: [hint('failed'), named] });
    expect(judged(writeAuditRecord, told, CORE, { 'audit.transactions': found([]) })).toMatchObject({
      type: 'failed',
    });
  });
});

describe('a contract that nothing but a callback tells', () => {
  const id = 'certificate-contract.diplomas';
  const made = address('made');

  test('is confirmed with the grade of a callback, by either spelling of the address', () => {
    for (const facts of [{ contract_address: made }, { receipt: { contractAddress: made } }]) {
      const told = known({ resources: [id], callbacks: [hint('success', facts)] });
      expect(judged(createCertificateContract, told, CORE)).toEqual({
        type: 'confirmed',
        grade: 'C',
        outputs: { [id]: { address: made } },
      });
    }
  });

  test('waits for a callback, and for one that names an address', () => {
    expect(judged(createCertificateContract, known({ resources: [id] }), CORE)).toMatchObject({
      type: 'wait',
    });
    const told = known({ resources: [id], callbacks: [hint('success'), hint('unparsed')] });
    expect(judged(createCertificateContract, told, CORE)).toMatchObject({ type: 'wait' });
  });

  test('is confirmed by the list instead where there is one, whatever a callback claims', () => {
    const context = { nickname: 'n', deployer: REGISTRAR, before: [address('old')] };
    const told = known({
      resources: [id],
      context,
      callbacks: [hint('success', { contract_address: address('evil') })],
    });
    const items = [
      { contract_address: address('old'), contract_name: 'n' },
      { contract_address: made, contract_name: 'n' },
    ];
    const answers = { 'certificate.contract.list': found(items), receipt: UNREADABLE };
    expect(judged(createCertificateContract, told, ALL, answers)).toMatchObject({
      type: 'confirmed',
      grade: 'B',
      outputs: { [id]: { address: made } },
    });
  });

  test('is not another transaction’s contract of its name, whatever a callback says: a doubled request makes two', () => {
    const context = { nickname: 'n', name: 'n', before: [] };
    const twin = { contract_address: address('twin'), contract_name: 'n', transactionHash: hash(2) };
    const own = { contract_address: made, contract_name: 'n', transactionHash: hash(1) };
    const first = hint('success', { transactionHash: hash(2), contract_address: address('twin') });
    const told = known({ resources: [id], context, ids: { transactionHash: hash(1) }, callbacks: [first] });
    for (const operation of [createCertificateContract, createAuditContract]) {
      const shows = (...items: JsonObject[]): unknown =>
        judged(operation, told, ALL, {
          'certificate.contract.list': found(items),
          'audit.contract.list': found(items),
          receipt: ABSENT,
        });
      expect(shows(twin)).toEqual({ type: 'wait', shown: true });
      expect(shows(twin, own)).toMatchObject({ outputs: { [id]: { address: made, transaction: hash(1) } } });
    }
  });

  test('is not chosen among several new ones of its name, unless a callback names one of them', () => {
    const context = { nickname: 'n', name: 'n', before: [] };
    const items = [made, address('twin')].map((contract_address) => ({
      contract_address,
      contract_name: 'n',
    }));
    const lists = { 'certificate.contract.list': found(items), 'audit.contract.list': found(items) };
    for (const operation of [createCertificateContract, createAuditContract]) {
      const lost = known({ resources: [id], context, outcome: 'ambiguous' });
      expect(judged(operation, lost, ALL, lists)).toMatchObject({ type: 'wait' });
      const told = { ...lost, callbacks: [hint('success', { contract_address: made })] };
      expect(judged(operation, told, ALL, lists)).toMatchObject({ outputs: { [id]: { address: made } } });
    }
  });
});

describe('a container whose answer named no transaction', () => {
  const CHAIN = abilities({ capabilities: [], chain: true });
  const forged = hint('success', { transactionHash: hash(9), contract_address: address('forged') });
  const honest = hint('success', { transactionHash: hash(1), contract_address: TRAIL });
  const made = known({
    resources: ['audit-contract.trail'],
    context: { name: 'trail', before: null },
    callbacks: [forged, honest],
  });

  test('is proven by the receipt of the transaction that a callback names, never by its word where the chain can be read', () => {
    const created = found(
      { transactionHash: hash(1), from: REGISTRAR, to: null, status: true, contractAddress: TRAIL },
      'chain',
    );
    const judge = (answers: Parameters<typeof createAuditContract.judge>[1]): unknown =>
      createAuditContract.judge(made, answers, CHAIN);
    expect(createAuditContract.proofs(made, [], CHAIN)).toEqual([
      { type: 'receipt', hash: hash(9) },
      { type: 'receipt', hash: hash(1) },
    ]);
    expect(judge([ABSENT, created])).toMatchObject({
      type: 'confirmed',
      grade: 'C',
      outputs: { 'audit-contract.trail': { address: TRAIL, transaction: hash(1) } },
    });
    const other = found(
      { transactionHash: hash(9), from: ALICE, to: null, status: true, contractAddress: address('forged') },
      'chain',
    );
    expect(judge([other, created])).toMatchObject({ type: 'wait' });
    expect(judge([ABSENT, ABSENT])).toMatchObject({ type: 'wait' });
    expect(judge([ABSENT, UNREADABLE])).toMatchObject({ type: 'wait' });
  });
});

describe('an attempt beside another that is open', () => {
  const beside = (context: JsonObject, other: JsonObject): boolean =>
    isToldApart(known({ context, rivals: () => [{ context: other, open: true }] }));

  test('is told from it by a mark, by its name, or by its token', () => {
    expect(beside({ marker: 'a' }, { marker: 'b' })).toBe(true);
    expect(beside({ name: 'a', before: [] }, { name: 'b', before: [] })).toBe(true);
    expect(beside({ tokenId: '1', to: 'x', before: [] }, { tokenId: '2', to: 'x', before: [] })).toBe(true);
  });

  test('is not told from one that asks for the same, nor a mint by its name', () => {
    expect(beside({ name: 'a', before: [] }, { name: 'a', before: [] })).toBe(false);
    expect(beside({ metadata: 'a', before: [] }, { metadata: 'b', before: [] })).toBe(false);
    expect(beside({ name: 'a', to: 'x', before: [] }, { name: 'b', to: 'x', before: [] })).toBe(false);
    expect(beside({ name: 'a', to: 'x', before: [] }, { marker: 'b', to: 'x' })).toBe(false);
  });
});
