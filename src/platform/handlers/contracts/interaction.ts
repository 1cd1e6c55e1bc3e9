import { isJsonObject, type JsonObject } from '../../../model/json.js';
import { ChainError, gasFault, type CallOutcome, type Chain, type ContractCall } from '../../chain/chain.js';
import { adoptNonces } from '../../chain/foreign.js';
import { checksummed, readSigned, type SignedTransaction } from '../../chain/signing.js';
import type { SettledListener } from '../../chain/transactions.js';
import type { Reader } from '../../state/records.js';
import { callbackUrl } from '../callback-url.js';
import { Fields } from '../fields.js';
import { invalid, notFound, ServiceError, type Call, type Context, type Handler } from '../handler.js';
import { AbiFault } from './encode.js';
import { decodeOutputs, encodeCall, findMethod, readAbi, type AbiMethod } from './methods.js';

/** Subject type of the transactions that execute a method; its id is that of the instance. */
export const EXECUTION_SUBJECT = 'execution';

interface Instance {
  readonly id: number;
  readonly address: string;
  readonly abi: readonly JsonObject[];
}

interface MethodCall {
  readonly method: AbiMethod | undefined;
  /** `0x` hex; empty when something is wrong. */
  readonly data: string;
}

/** Calls a method of a deployed contract without changing anything, from any address. */
export const callInstance: Handler = async (context, call) => {
  const instance = await findInstance(context.records, call);
  const fields = new Fields(call.body);
  const from = fields.address('from');
  const { method, data } = readMethodCall(fields, instance.abi);
  fields.check();
  if (!method) throw invalid({});
  const outcome = await tried(context.chain, { to: instance.address, data, from });
  if (!outcome.ok) throw new ServiceError(400, outcome.message);
  try {
    return { result: decodeOutputs(method, outcome.data) };
  } catch {
    throw invalid({ contract_abi: ['The contract answered what its ABI does not describe.'] });
  }
};

/** Sends a transaction that executes a method of a deployed contract. One that would revert now is refused at once. */
export const executeInstance: Handler = async (context, call) => {
  const instance = await findInstance(context.records, call);
  const fields = new Fields(call.body);
  const options = fields.nested('wallet_options');
  const type = options.text('type');
  const address = options.address('address');
  if (!['organisation', 'end_user', 'non_custodial', ''].includes(type)) options.unknown('type');
  const url = callbackUrl(context, fields);
  const subject = { type: EXECUTION_SUBJECT, id: instance.id };
  const about = {
    org: call.org,
    subject,
    ...(url !== undefined && { callback: { url, shape: 'plain' as const } }),
  };
  if (type === 'non_custodial') {
    fields.text('method_name');
    const signed = readSignedCall(context, fields, { instance, address });
    fields.check();
    if (!signed) throw invalid({});
    await adoptNonces(context.chain, context.records, [address]);
    const sent = await context.records.transact((writer) =>
      context.transactions.submitSigned(writer, { ...about, raw: signed.raw }),
    );
    return { result: { transaction_hash: sent.transactionHash } };
  }
  const { data } = readMethodCall(fields, instance.abi);
  const wallet = address && (await context.wallets.find(context.records, call.org, address));
  if (address !== '' && (!wallet || !wallet.is_active || wallet.wallet_type !== type))
    options.unknown('address');
  fields.check();
  const outcome = await tried(context.chain, { to: instance.address, data, from: address });
  if (!outcome.ok) throw new ServiceError(400, outcome.message);
  const submission = { ...about, from: address, to: instance.address, data };
  const sent = await context.records.transact((writer) => context.transactions.submit(writer, submission));
  return { result: { transaction_hash: sent.transactionHash } };
};

/** The words of this callback begin with a capital, unlike those of all other transactions. */
export const settleExecution: SettledListener = async (_writer, settled) => ({
  status: settled.status === 'success' ? 'Success' : 'Error',
});

async function findInstance(reader: Reader, { org, params }: Call): Promise<Instance> {
  const row = await reader.first<{ id: number; address: string; abi: string }>(
    `SELECT instances.id, instances.address, artifacts.abi FROM instances
     JOIN artifacts ON artifacts.id = instances.artifact_id
     WHERE instances.org = ? AND instances.address = ? AND instances.status = 'success'
     ORDER BY instances.id DESC LIMIT 1`,
    [org, checksummed(params['address']) ?? ''],
  );
  if (!row) throw notFound();
  return { ...row, abi: JSON.parse(row.abi) as readonly JsonObject[] };
}

/** A call whose outcome is known in every case: what the node cannot try, for instance for want of funds, fails too. */
export async function tried(chain: Chain, call: ContractCall): Promise<CallOutcome> {
  try {
    return await chain.call(call);
  } catch (cause) {
    if (!(cause instanceof ChainError)) throw cause;
    return { ok: false, message: cause.message, revertData: '0x' };
  }
}

/** `method_name`, `params` and `contract_abi`; the ABI of the artifact unless one is given, as proxies need. */
function readMethodCall(fields: Fields, own: readonly JsonObject[]): MethodCall {
  const name = fields.text('method_name');
  const given = fields.value('contract_abi');
  const abi = given === undefined ? own : readAbi(given);
  if (!abi) fields.fault('contract_abi', 'must be an array.');
  const params = paramsOf(fields);
  const method = name === '' ? undefined : findMethod(abi ?? [], name, params);
  if (name !== '' && abi && !method) fields.unknown('method_name');
  return { method, data: method ? encoded(fields, method, params) : '' };
}

/** `params`: an object, or an empty array as PHP writes an empty object. Empty when absent. */
export function paramsOf(fields: Fields): JsonObject {
  const value = fields.value('params') ?? {};
  if (isJsonObject(value)) return value;
  if (!Array.isArray(value) || value.length > 0) fields.fault('params', 'must be an object.');
  return {};
}

/** The call data; notes what does not fit. */
export function encoded(fields: Fields, method: AbiMethod, params: JsonObject): string {
  try {
    return encodeCall(method, params);
  } catch (cause) {
    if (cause instanceof AbiFault) fields.within({}, 'params').fault(cause.path, cause.message);
    // The library's texts name its own parts; what matters to the caller is which field is wrong.
    else fields.fault('contract_abi', 'holds a type that cannot be encoded.');
    return '';
  }
}

function readSignedCall(
  { chain }: Context,
  fields: Fields,
  about: { readonly instance: Instance; readonly address: string },
): SignedTransaction | undefined {
  const raw = fields.text('signed_trx', 1_000_000);
  if (raw === '') return undefined;
  try {
    const signed = readSigned(raw);
    if (signed.to !== about.instance.address) fields.fault('signed_trx', 'is not for this contract.');
    if (signed.chainId !== BigInt(chain.chainId)) {
      fields.fault('signed_trx', `is not signed for chain ${String(chain.chainId)}.`);
    }
    if (about.address !== '' && signed.sender !== about.address) {
      fields.fault('signed_trx', 'is not signed by wallet_options.address.');
    }
    const tooMuch = gasFault(chain, signed.gasLimit);
    if (tooMuch !== undefined) fields.fault('signed_trx', tooMuch);
    return signed;
  } catch {
    fields.fault('signed_trx', 'must be a signed transaction in hex.');
    return undefined;
  }
}
