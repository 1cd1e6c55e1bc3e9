import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { addressPlaceholder } from '../../src/model/value.js';
import { deployContracts } from '../../src/kinds/deployment.js';
import type { StepView } from '../../src/kinds/operation.js';
import type { AnyResource } from '../../src/model/resource.js';
import { abilities, address, contract, project, REGISTRAR, stepView, version } from '../support/builders.js';
import { ABSENT, found, prepared, UNREADABLE, written } from '../support/judging.js';

const REGISTRY = 'contract.core.Registry';
const CONSTRUCTOR = [
  {
    type: 'constructor',
    inputs: [
      { name: 'registry', type: 'address' },
      { name: '_cap', type: 'uint256' },
    ],
  },
];

function artifact(id: number, contract_name: string, contract_abi: readonly JsonObject[] = []): JsonObject {
  return { id, contract_name, contract_abi, bytecode: '0x6001' };
}

const DETAIL = {
  slug: '1-100',
  artifacts: [
    artifact(11, 'Registry', [{ type: 'event', name: 'Made' }]),
    artifact(12, 'Token', CONSTRUCTOR),
  ],
  emitted_events: [{ contract_name: 'Registry', contract_address: address('old') }],
  latest_error: 'old error',
};
const ANSWERS = {
  'version.detail': found(DETAIL),
  'instance.list': found([{ contract_address: address('older') }]),
};

function view(resources: readonly AnyResource[], outputs: object = {}): StepView {
  return stepView(resources, {
    others: [project(), version(), contract('Registry')],
    outputs: {
      'project.registry': { slug: 'registry' },
      'version.registry@1.0.0': { slug: '1-100' },
      ...outputs,
    },
  });
}

const TOKEN = contract('Token', { registry: addressPlaceholder(REGISTRY), _cap: '1000' });

describe('a deploy request', () => {
  test('names contracts of the same request by the token of the service, and keeps the plan order', () => {
    const { request } = written(deployContracts, view([contract('Registry'), TOKEN]), ANSWERS);
    expect(request).toMatchObject({
      endpoint: 'version.deploy',
      params: { projectSlug: 'registry', versionSlug: '1-100' },
    });
    expect(request.body).toEqual({
      wallet_options: { type: 'organisation', address: REGISTRAR },
      deployment_params: [
        { sc_artifact_id: 11, order: 1, params: null },
        { sc_artifact_id: 12, order: 2, params: { registry: '{Registry_ADDRESS}', _cap: '1000' } },
      ],
    });
  });

  test('names contracts of other requests by their addresses', () => {
    const { request } = written(
      deployContracts,
      view([TOKEN], { [REGISTRY]: { address: address('made') } }),
      ANSWERS,
    );
    expect(request.body['deployment_params']).toEqual([
      { sc_artifact_id: 12, order: 1, params: { registry: address('made'), _cap: '1000' } },
    ]);
  });

  test('keeps siblings as placeholders in what is locked, because their addresses come with the outcome', () => {
    const { inputs } = written(deployContracts, view([contract('Registry'), TOKEN]), ANSWERS);
    expect(inputs[TOKEN.id]).toMatchObject({ params: { registry: addressPlaceholder(REGISTRY) } });
  });

  test('keeps with the intent what was there before', () => {
    const { context } = written(deployContracts, view([contract('Registry')]), ANSWERS);
    expect(context).toMatchObject({
      wallet: REGISTRAR,
      before: [address('old'), address('older')],
      errorBefore: 'old error',
      contracts: [{ id: REGISTRY, name: 'Registry', artifact: 11, events: true }],
    });
  });
});

describe('a deploy request that must not be sent', () => {
  const refusals: readonly (readonly [string, StepView, object])[] = [
    ['its version cannot be read', view([TOKEN]), { ...ANSWERS, 'version.detail': ABSENT }],
    ['its instances cannot be read', view([TOKEN]), { ...ANSWERS, 'instance.list': UNREADABLE }],
    ['the version has no such contract', view([contract('Vault')]), ANSWERS],
    ['a parameter is missing', view([contract('Token', { registry: REGISTRAR })]), ANSWERS],
    [
      'a parameter is unknown',
      view([contract('Token', { registry: REGISTRAR, _cap: '1', cap: '1' })]),
      ANSWERS,
    ],
    ['a name lacks its underscore', view([contract('Token', { registry: REGISTRAR, cap: '1' })]), ANSWERS],
  ];

  test.each(refusals)('is refused when %s', (_why, step, answers) => {
    expect(prepared(deployContracts, step, { ...answers })).toMatchObject({
      type: 'refused',
      code: 'STEP_PARAMS',
    });
  });

  test.each([
    ['is abstract', '0x'],
    ['needs a library linked', `0x60__$${'a'.repeat(34)}$__01`],
  ])('is refused when the contract %s', (_why, bytecode) => {
    const detail = { ...DETAIL, artifacts: [{ ...artifact(11, 'Registry'), bytecode }] };
    const step = view([contract('Registry')]);
    expect(prepared(deployContracts, step, { ...ANSWERS, 'version.detail': found(detail) }).type).toBe(
      'refused',
    );
  });
});

describe('a deploy request that is signed here', () => {
  const signer = { key: { $secret: { env: 'WINDLASS_VAR_DEPLOYER_KEY' } } };
  const wallet = { type: 'non_custodial', address: REGISTRAR, signer } as const;
  const step = view([
    contract('Registry', {}, { wallet }),
    contract('Token', { registry: addressPlaceholder(REGISTRY), _cap: '1' }, { wallet }),
  ]);
  const account = found({ nonce: 4, chainId: 1337, gasPrice: '7', creates: [address('p0'), address('p1')] });

  test('fills placeholders with predicted addresses and takes no callback', () => {
    const { request, context } = written(deployContracts, step, { ...ANSWERS, account });
    expect(request.takesCallback).toBe(false);
    expect(request.body['deployment_params']).toMatchObject([
      { order: 1, signed_trx: { $signed: { nonce: 4, chainId: 1337, gasPrice: '7' } } },
      { order: 2, signed_trx: { $signed: { nonce: 5, params: { registry: address('p0'), _cap: '1' } } } },
    ]);
    expect(context['predicted']).toEqual([address('p0'), address('p1')]);
  });

  test('is barred by an open attempt that may use one of its nonces, and by no other', () => {
    const creating = (...creates: string[]): JsonObject =>
      written(deployContracts, step, {
        ...ANSWERS,
        account: found({ nonce: 4, chainId: 1337, gasPrice: '7', creates }),
      }).context;
    const own = creating(address('p0'), address('p1'));
    expect(deployContracts.bars?.(own, creating(address('p1'), address('p2')))).toBeTypeOf('string');
    expect(deployContracts.bars?.(own, creating(address('p2'), address('p3')))).toBeUndefined();
    expect(deployContracts.bars?.(own, {})).toBeUndefined();
    expect(deployContracts.bars?.({}, own)).toBeUndefined();
  });

  test('is refused when the account cannot be read', () => {
    expect(prepared(deployContracts, step, ANSWERS).type).toBe('refused');
  });

  test('sends a transaction that is signed already as the file holds it', () => {
    const file = { path: 'signed.txt', digest: 'sha256:0', sizeBytes: 3 } as const;
    const { type, address: signed } = wallet;
    // Its parameters are inside: the plan gives none for the Token either.
    for (const name of ['Registry', 'Token'])
      given(contract(name, {}, { wallet: { type, address: signed }, signedTransaction: file }));
    function given(one: Parameters<typeof view>[0][number]): void {
      const { request, context } = written(deployContracts, view([one]), ANSWERS);
      expect(request.body['deployment_params']).toMatchObject([{ signed_trx: { $text: file } }]);
      expect(context).not.toHaveProperty('predicted');
    }
  });
});

describe('abilities', () => {
  test('decide whether instances are asked for', () => {
    const core = {
      ...view([contract('Registry')]),
      knowledge: { ...view([contract('Registry')]).knowledge, abilities: abilities({ capabilities: [] }) },
    };
    expect(deployContracts.prepare(core, [])).toHaveLength(1);
    expect(deployContracts.prepare(view([contract('Registry')]), [])).toHaveLength(2);
  });
});
