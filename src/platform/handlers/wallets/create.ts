import type { JsonObject } from '../../../model/json.js';
import type { Wallet } from '../../chain/wallets.js';
import type { Writer } from '../../state/records.js';
import { Fields } from '../fields.js';
import { ServiceError, type Handler } from '../handler.js';
import { walletView } from './reads.js';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Creates a wallet for a person. Nothing is unique about a person: asking twice makes two wallets. */
export const createUserWallet: Handler = async ({ records, wallets, people }, { org, body }) => {
  const fields = new Fields(body);
  const user = {
    name: fields.text('name'),
    email: fields.text('email'),
    ic: fields.text('ic'),
    phone: fields.optionalText('phone'),
  };
  if (user.email !== '' && !EMAIL.test(user.email)) fields.fault('email', 'must be a valid email address.');
  const walletName = fields.optionalText('wallet_name') ?? user.name;
  const entity = fields.optionalInteger('entity_id');
  const category = fields.optionalInteger('entity_category_id');
  fields.check();
  const wallet = await records.transact(async (writer) => {
    const made = await wallets.create(writer, { org, name: walletName, type: 'end_user' });
    await people.keep(writer, made, { ...user, phone: user.phone ?? null });
    await keepEntity(writer, made, entity);
    return made;
  });
  const shown: JsonObject = {
    wallet_id: wallet.id,
    wallet_name: wallet.name,
    wallet_address: wallet.address,
    wallet_type: 'user',
    is_active: 1,
    entity_id: entity ?? null,
    entity_category_id: category ?? null,
  };
  return { result: { wallet: shown } };
};

/** Creates an organisation wallet, up to the platform's limit. */
export const createOrganisationWallet: Handler = async ({ records, wallets, settings }, { org, body }) => {
  const fields = new Fields(body);
  const name = fields.text('name');
  const entity = fields.optionalInteger('entity_id');
  fields.check();
  const limit = settings.maxOrganisationWallets ?? Infinity;
  const wallet = await records.transact(async (writer) => {
    const existing = await wallets.list(writer, org, 'organisation');
    if (existing.length >= limit) {
      throw new ServiceError(422, `An organisation may have at most ${String(limit)} organisation wallets.`);
    }
    const made = await wallets.create(writer, { org, name, type: 'organisation' });
    await keepEntity(writer, made, entity);
    return made;
  });
  return { result: walletView(wallet, entity ?? null) };
};

async function keepEntity(writer: Writer, wallet: Wallet, entity: number | undefined): Promise<void> {
  if (entity === undefined) return;
  await writer.run('INSERT INTO wallet_entities (wallet_id, org, entity_id) VALUES (?, ?, ?)', [
    wallet.id,
    wallet.org,
    entity,
  ]);
}
