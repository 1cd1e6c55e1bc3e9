import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { deployContracts } from '../../src/kinds/deployment.js';
import type { Known, ReadRequest, Rival } from '../../src/kinds/operation.js';
import { abilities, address, hash, known, REGISTRAR } from '../support/builders.js';
import { ABSENT, found, hint, judged, type Answers } from '../support/judging.js';

const [R, T] = ['contract.core.Registry', 'contract.core.Token'] as const;
const ALL = abilities();
const CORE = abilities({ capabilities: [] });
const CHAIN = abilities({ chain: true });
const ID = 'registry_1-100_1700000000';
const EVIL = address('evil');
const CONTEXT = {
  projectSlug: 'registry',
  versionSlug: '1-100',
  wallet: REGISTRAR,
  contracts: [
    { id: R, name: 'Registry', artifact: 11, events: true },
    { id: T, name: 'Token', artifact: 12, events: true },
  ],
  before: [address('old')],
  errorBefore: '',
  updatedBefore: 'then',
  deployedBefore: null,
};

function deployed(over: Partial<Known> = {}): Known {
  return known({ resources: [R, T], context: CONTEXT, ids: { deploymentId: ID }, ...over });
}

function claim(artifact: number, name: string): JsonObject {
  return {
    sc_artifact_id: artifact,
    contract_address: address(name),
    receipt: { transactionHash: hash(name), contractAddress: address(name) },
  };
}

function completed(...items: JsonObject[]): ReturnType<typeof hint> {
  return hint('success', { deployment_id: ID, deployed_contract_addresses: items });
}

function erred(...items: JsonObject[]): ReturnType<typeof hint> {
  return hint('failed', { deployment_id: ID, message: 'cap too low', deployed_contract_addresses: items });
}

function instance(contract_name: string, at = contract_name): JsonObject {
  return { contract_name, contract_address: address(at) };
}

/** A version that lists instances; the service filters them by deployment where it can. */
function shows(instances: readonly JsonObject[], over: JsonObject = {}): Answers {
  const old = instance('Token', 'old');
  const detail = {
    slug: '1-100',
    emitted_events: [old, ...instances],
    latest_error: '',
    updated_at: 'then',
    ...over,
  };
  return { 'version.detail': found(detail), 'instance.list': found([...instances]) };
}

function receipts(from = REGISTRAR): (request: ReadRequest) => ReturnType<typeof found> {
  return (request) => {
    const name = ['Registry', 'Token', 'evil'].find(
      (text) => request.type === 'receipt' && request.hash === hash(text),
    );
    const contractAddress = address(name ?? '');
    return found(
      { transactionHash: hash(name ?? ''), from, to: null, contractAddress, status: true },
      'chain',
    );
  };
}

const BOTH = { [R]: { address: address('Registry') }, [T]: { address: address('Token') } };

describe('a deployment', () => {
  test('is confirmed by its instances', () => {
    for (const here of [ALL, CORE])
      expect(
        judged(deployContracts, deployed(), here, shows([instance('Registry'), instance('Token')])),
      ).toEqual({
        type: 'confirmed',
        grade: 'B',
        outputs: BOTH,
      });
  });

  test('is known from the chain when the receipts that its callback names agree', () => {
    const told = deployed({ callbacks: [completed(claim(11, 'Registry'), claim(12, 'Token'))] });
    const answers = { ...shows([instance('Registry'), instance('Token')]), receipt: receipts() };
    expect(judged(deployContracts, told, CHAIN, answers)).toMatchObject({
      type: 'confirmed',
      grade: 'A',
      outputs: { [T]: { address: address('Token'), transaction: hash('Token') } },
    });
  });

  test('is proven without its version after word of success, and asks for it when the rest is no proof', () => {
    const told = deployed({ callbacks: [completed(claim(11, 'Registry'), claim(12, 'Token'))] });
    const asked = (instances: readonly JsonObject[]): readonly string[] => {
      const names: string[] = [];
      const note = (name: string, value: ReturnType<typeof found>) => (): ReturnType<typeof found> => {
        names.push(name);
        return value;
      };
      judged(deployContracts, told, ALL, {
        'version.detail': note('version', found({ emitted_events: [] })),
        'instance.list': note('instances', found([...instances])),
        receipt: (request) => note('receipt', receipts()(request))(),
      });
      return names;
    };
    const proof = ['instances', 'receipt', 'receipt'];
    expect(asked([instance('Registry'), instance('Token')])).toEqual(proof);
    expect(asked([instance('Registry')])).toEqual([...proof, 'version']);
  });

  test('waits while an instance is missing, and does not take one that was there before', () => {
    expect(judged(deployContracts, deployed(), CORE, shows([instance('Registry')]))).toMatchObject({
      type: 'wait',
    });
    expect(judged(deployContracts, deployed(), CORE, shows([]))).toMatchObject({ type: 'wait' });
  });

  test('does not take an address of a callback that nothing else shows, even with a receipt of it', () => {
    const forged = { ...claim(12, 'evil'), contract_address: EVIL };
    const told = deployed({ callbacks: [completed(claim(11, 'Registry'), forged)] });
    const answers = { ...shows([instance('Registry')]), receipt: receipts() };
    expect(judged(deployContracts, told, CHAIN, answers)).toMatchObject({ type: 'wait' });
    const shown = { ...shows([instance('Registry'), instance('Token')]), receipt: receipts() };
    expect(judged(deployContracts, told, CHAIN, shown)).toMatchObject({ type: 'confirmed', outputs: BOTH });
  });

  test('ignores a callback of another deployment', () => {
    const other = hint('success', {
      deployment_id: 'other',
      deployed_contract_addresses: [claim(11, 'evil')],
    });
    const told = deployed({ callbacks: [other, completed(claim(11, 'Registry'), claim(12, 'Token'))] });
    const twins = shows([instance('Registry'), instance('Registry', 'evil'), instance('Token')]);
    expect(judged(deployContracts, told, CORE, twins)).toMatchObject({ type: 'confirmed', outputs: BOTH });
  });
});

describe('an instance that another request could have made', () => {
  const rival: Rival = { context: CONTEXT, open: true };
  const shown = shows([instance('Registry'), instance('Token')]);

  test('is not taken while that request is open, unless the deployment or a callback names it', () => {
    const near = deployed({ rivals: () => [rival] });
    expect(judged(deployContracts, near, CORE, shown)).toMatchObject({ type: 'wait' });
    expect(judged(deployContracts, near, ALL, shown)).toMatchObject({ type: 'confirmed' });
    const told = { ...near, callbacks: [completed(claim(11, 'Registry'), claim(12, 'Token'))] };
    expect(judged(deployContracts, told, CORE, shown)).toMatchObject({ type: 'confirmed' });
  });

  test('is not taken once it proves that request', () => {
    const taken = deployed({ isTaken: (name) => name === address('Token') });
    for (const here of [ALL, CORE])
      expect(judged(deployContracts, taken, here, shown)).toMatchObject({ type: 'wait' });
  });

  test('is not chosen among two', () => {
    const twins = shows([instance('Registry'), instance('Token'), instance('Token', 'twin')]);
    expect(judged(deployContracts, deployed(), CORE, twins)).toMatchObject({ type: 'wait' });
  });
});

describe('a contract without events on a service that lists no instances', () => {
  const context = { ...CONTEXT, contracts: [{ id: R, name: 'Registry', artifact: 11, events: false }] };
  const quiet = deployed({ resources: [R], context, callbacks: [completed(claim(11, 'Registry'))] });
  const moved = shows([], { last_deployed_at: 'now' });

  test('is known from its callback alone once the version shows that it was deployed', () => {
    expect(judged(deployContracts, quiet, CORE, shows([]))).toMatchObject({ type: 'wait' });
    expect(judged(deployContracts, quiet, CORE, moved)).toMatchObject({
      type: 'confirmed',
      grade: 'C',
      outputs: { [R]: { address: address('Registry') } },
    });
  });

  test('is known from the chain when the deploying wallet signed its receipt, and not otherwise', () => {
    const chain = abilities({ capabilities: [], chain: true });
    const told = { ...shows([]), receipt: receipts() };
    expect(judged(deployContracts, quiet, chain, told)).toMatchObject({ type: 'confirmed', grade: 'A' });
    const foreign = { ...moved, receipt: receipts(EVIL) };
    expect(judged(deployContracts, quiet, chain, foreign)).toMatchObject({ type: 'wait' });
  });
});

describe('a deployment that fails', () => {
  const error = { latest_error: 'Token: cap too low', updated_at: 'now' };

  test('keeps what is there', () => {
    const told = deployed({ callbacks: [erred(claim(11, 'Registry'))] });
    for (const here of [ALL, CORE])
      expect(judged(deployContracts, told, here, shows([instance('Registry')], error))).toMatchObject({
        type: 'failed',
        message: 'cap too low',
        outputs: { [R]: { address: address('Registry') } },
      });
  });

  test('is seen without a callback, where no other request could have left the error', () => {
    const shown = shows([], error);
    // Of two contracts one may be there and not listed yet.
    expect(judged(deployContracts, deployed(), CORE, shown)).toMatchObject({ type: 'wait' });
    const late = deployed({ late: true });
    expect(judged(deployContracts, late, CORE, shown)).toMatchObject({ type: 'failed', outputs: {} });
    const alone = { ...CONTEXT, contracts: [CONTEXT.contracts[0] ?? {}] };
    const single = deployed({ context: alone });
    expect(judged(deployContracts, single, CORE, shown)).toMatchObject({ type: 'failed', outputs: {} });
    const near = deployed({ context: alone, rivals: () => [{ context: CONTEXT, open: false }] });
    expect(judged(deployContracts, near, CORE, shown)).toMatchObject({ type: 'wait' });
  });

  test('waits for contracts that its callback names and the platform does not show yet', () => {
    const told = deployed({ callbacks: [erred(claim(11, 'Registry'))] });
    expect(judged(deployContracts, told, CORE, shows([], error))).toMatchObject({ type: 'wait' });
    expect(judged(deployContracts, { ...told, late: true }, CORE, shows([], error))).toMatchObject({
      type: 'failed',
    });
  });

  test('with the error of an earlier one is known by its callback and the version that moved', () => {
    const again = { ...CONTEXT, errorBefore: error.latest_error };
    expect(judged(deployContracts, deployed({ context: again }), CORE, shows([], error))).toMatchObject({
      type: 'wait',
    });
    const told = deployed({ context: again, callbacks: [erred()] });
    expect(judged(deployContracts, told, CORE, shows([], error))).toMatchObject({ type: 'failed' });
  });

  test('is not believed from a callback while the version shows no error, before the horizon', () => {
    const told = deployed({ callbacks: [erred()] });
    expect(judged(deployContracts, told, CORE, shows([]))).toMatchObject({ type: 'wait' });
    expect(judged(deployContracts, { ...told, late: true }, CORE, shows([]))).toMatchObject({
      type: 'failed',
    });
  });

  test('is believed at last although the next deployment of its version succeeded, where its own list can be read', () => {
    const told = deployed({ late: true, callbacks: [erred()] });
    const next = shows([], { last_deployed_at: 'now', updated_at: 'now' });
    expect(judged(deployContracts, told, ALL, next)).toMatchObject({ type: 'failed', outputs: {} });
    expect(judged(deployContracts, { ...told, late: false }, ALL, next)).toMatchObject({ type: 'wait' });
    expect(judged(deployContracts, told, CORE, next)).toMatchObject({ type: 'wait' });
  });

  test('is never believed from a callback of another deployment, or of none when nothing was answered', () => {
    const other = deployed({ late: true, callbacks: [hint('failed', { deployment_id: 'other' })] });
    expect(judged(deployContracts, other, CORE, shows([]))).toMatchObject({ type: 'wait' });
    const lost = deployed({
      late: true,
      ids: {},
      outcome: 'ambiguous',
      callbacks: [hint('failed'), erred()],
    });
    expect(judged(deployContracts, lost, CORE, shows([], error))).toMatchObject({ type: 'wait' });
  });
});

describe('a deployment that was signed here', () => {
  const context = { ...CONTEXT, predicted: [address('p0'), address('p1')] };
  const code = found({ digest: 'sha256:0' }, 'chain');

  test('is confirmed by code at every predicted address', () => {
    expect(judged(deployContracts, deployed({ context }), CHAIN, { ...shows([]), code })).toEqual({
      type: 'confirmed',
      grade: 'A',
      outputs: { [R]: { address: address('p0') }, [T]: { address: address('p1') } },
    });
  });

  test('is not confirmed by an instance elsewhere: that is the one of another request', () => {
    const [elsewhere, own] = [instance('Registry'), instance('Registry', 'p0')];
    const alone = { ...context, contracts: [CONTEXT.contracts[0] ?? {}], predicted: [address('p0')] };
    const single = deployed({ resources: [R], context: alone });
    expect(judged(deployContracts, single, ALL, shows([elsewhere]))).toMatchObject({ type: 'wait' });
    expect(judged(deployContracts, single, ALL, shows([elsewhere, own]))).toMatchObject({
      type: 'confirmed',
      outputs: { [R]: { address: address('p0') } },
    });
  });

  test('waits while one has none, or belongs to another step', () => {
    expect(
      judged(deployContracts, deployed({ context }), CHAIN, { ...shows([]), code: ABSENT }),
    ).toMatchObject({
      type: 'wait',
    });
    const taken = deployed({ context, isTaken: (name) => name === address('p0') });
    expect(judged(deployContracts, taken, CHAIN, { ...shows([]), code })).toMatchObject({ type: 'wait' });
  });
});
