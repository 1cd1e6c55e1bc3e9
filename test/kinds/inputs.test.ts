import { describe, expect, test } from 'vitest';
import type { AnyResource } from '../../src/model/resource.js';
import type { ResourceId } from '../../src/model/id.js';
import { addressPlaceholder, fillPlaceholders, publicView } from '../../src/model/value.js';
import { kindNamed, operationNamed } from '../../src/kinds/registry.js';
import {
  abilities,
  address,
  campus,
  certificate,
  contract,
  record,
  REGISTRAR,
  stepView,
  transfer,
} from '../support/builders.js';
import { found, written } from '../support/judging.js';

const ARTIFACTS = ['Registry', 'Token'].map((contract_name, index) => ({
  id: 11 + index,
  contract_name,
  bytecode: '0x6001',
  contract_abi: [{ type: 'constructor', inputs: index === 0 ? [] : [{ name: 'registry' }, { name: 'cap' }] }],
}));
const ANSWERS = {
  'version.detail': found({ slug: '1-100', artifacts: ARTIFACTS }),
  'instance.list': found([]),
  'version.list': found([]),
  account: found({ nonce: 0, chainId: 1, gasPrice: '1', creates: [address('p0')] }),
};
const SIGNER = {
  type: 'non_custodial',
  address: REGISTRAR,
  signer: { key: { $secret: { env: 'KEY' } } },
} as const;

/** Every kind that is written, and the other forms of those that have several. */
const WRITTEN: readonly AnyResource[] = [
  ...campus().filter(({ kind }) => kind !== 'deployment'),
  record('plain', { envelope: 'none', metadata: 'text' }),
  certificate('plain', { marker: 'none', to: addressPlaceholder('wallet.bob') }),
  transfer('existing', 'certificate.class[S-1]', { token: { tokenId: '7' } }),
  contract('Registry', {}, { wallet: SIGNER, deployment: 'deployment.own' }),
  contract(
    'Registry',
    {},
    { wallet: { type: 'end_user', address: addressPlaceholder('wallet.bob') }, deployment: 'deployment.bob' },
  ),
];

/** Outputs of everything, as if it had all been made. */
const OUTPUTS = Object.fromEntries(
  WRITTEN.map(({ id }, index) => [
    id,
    { address: address(id), slug: '1-100', id: index, tokenId: String(index) },
  ]),
);

describe('what the lock keeps of a resource', () => {
  test.each(WRITTEN.map((resource) => [resource.id, resource] as const))(
    'is what the next plan compares it with: %s',
    (id: ResourceId, resource) => {
      const kind = kindNamed(resource.kind);
      const others = WRITTEN.filter((other) => other.id !== id);
      const view = stepView([resource], { others, outputs: OUTPUTS, abilities: abilities() });
      for (const update of [false, true]) {
        const operation = operationNamed(kind.operation(resource, update));
        const { inputs } = written(operation!, view, ANSWERS);
        const compared = publicView(
          fillPlaceholders(kind.comparable(resource), (ref) => OUTPUTS[ref]?.address),
        );
        expect(inputs).toEqual({ [id]: compared });
        expect(JSON.stringify(inputs)).not.toContain('$placeholder');
        expect(JSON.stringify(inputs)).not.toContain('900101');
      }
    },
  );

  test('covers every kind that is written', () => {
    expect(new Set(WRITTEN.map(({ kind }) => kind)).size).toBe(11);
  });
});
