import { PNG } from './certificate-samples.js';
import { textAt } from './client.js';
import { CHAIN_OF_THREE, type Releases } from './releases.js';

/** What an organisation released, by the names that the console shows. */
export interface ConsoleWorld {
  readonly project: string;
  readonly deployment: string;
  /** Where the deployed registry stands. */
  readonly registry: string;
  /** Transaction of the audit record. */
  readonly record: string;
  readonly diplomas: string;
  readonly person: string;
}

/** Longer than bcrypt reads, so that only the digest on the chain covers its end. */
export const METADATA = JSON.stringify({ release: '1.0.0', note: 'x'.repeat(100), end: 'genuine' });

/** A project with a deployed version, an audit record, a certificate and a person's wallet, each told by callback. */
export async function releaseEverything(releases: Releases): Promise<ConsoleWorld> {
  const { api, receiver, platform, compiled } = releases;
  const wallet = platform.wallets[0] ?? '';
  const done = async (path: string, body: object) => {
    const callback_url = receiver.url();
    await api.post(path, { ...body, callback_url });
    return receiver.received(callback_url);
  };
  const { ids, path } = await compiled('Registry', { sources: CHAIN_OF_THREE });
  const deployed = await done(`${path}/deploy`, {
    wallet_options: { type: 'organisation', address: wallet },
    deployment_params: [{ sc_artifact_id: ids['Registry'], order: 1 }],
  });
  const trail = await done('/api/audit/contracts', { name: 'releases', field: { encrypt_data: false } });
  const contract_address = textAt(trail, 'contract_address');
  const recorded = await done('/api/audit/audit', {
    wallet_address: wallet,
    contract_address,
    metadata: METADATA,
    category_id: [],
    tag_id: [],
  });
  const field = { wallet_address_owner: wallet, max_supply: 0, name: 'Campus Diploma', symbol: 'DIP' };
  const creation = { wallet_address: wallet, name: 'diplomas', field };
  const created = await done('/api/certificate/create-smartcontract', creation);
  const diplomas = textAt(created, 'result.contract_address');
  const callback_url = receiver.url();
  const attributes = JSON.stringify([{ trait: 'Programme', value: 'Navigation' }]);
  const mint = {
    wallet_address: wallet,
    to: wallet,
    contract_address: diplomas,
    name: 'Diploma 1',
    attributes,
  };
  const image = { filename: 'a.png', bytes: PNG };
  const form = { ...mint, description: 'Summa cum laude', callback_url };
  await api.form('/api/certificate/mint-certificate', form, image);
  await receiver.received(callback_url);
  const user = { name: 'Alice Tan', email: 'alice@example.com', ic: '900101-01-1234' };
  const person = await api.post('/api/wallet/create-user', user);
  return {
    project: 'registry',
    deployment: textAt(deployed, 'deployment_id'),
    registry: textAt(deployed, 'deployed_contract_addresses.0.contract_address'),
    record: textAt(recorded, 'transactionHash'),
    diplomas,
    person: textAt(person.body, 'result.wallet.wallet_address'),
  };
}
