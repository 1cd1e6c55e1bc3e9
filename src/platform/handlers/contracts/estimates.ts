import type { JsonObject } from '../../../model/json.js';
import { ChainError } from '../../chain/chain.js';
import { hexQuantity, quantity } from '../../chain/receipts.js';
import { Fields } from '../fields.js';
import { invalid, ServiceError, type Handler } from '../handler.js';
import { AbiFault, constructorInputs, encodeArguments } from './encode.js';
import { encoded, paramsOf, tried } from './interaction.js';
import { findMethod, readAbi } from './methods.js';

/** Longest call data of a request, in hex digits: the init code that a chain takes, and arguments. */
const MAX_DATA = 1_000_000;

const HEX = /^0x([0-9a-fA-F]{2})*$/;

/** What a transaction would do, as a request describes it. */
interface Draft {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly data: string | undefined;
  readonly value: bigint | undefined;
  readonly nonce: number | undefined;
}

/** Gas that a transaction would use, from the node itself. One that would revert is refused with 400. */
export const estimateGas: Handler = async ({ chain }, { body }) => {
  const fields = new Fields(body);
  const draft = readDraft(fields);
  fields.check();
  const { from, to, data, value } = draft;
  if (from === undefined && to === undefined && data === undefined && value === undefined) {
    throw invalid({ from: ['One of from, to, value and data is required.'] });
  }
  const call = {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(data !== undefined && { data }),
    ...(value !== undefined && { value: hexQuantity(value) }),
    ...(draft.nonce !== undefined && { nonce: hexQuantity(draft.nonce) }),
  };
  try {
    return { result: quantity(await chain.request('eth_estimateGas', [call])) };
  } catch (cause) {
    if (cause instanceof ChainError) throw new ServiceError(400, errorText(cause.message));
    throw cause;
  }
};

/** Whether a transaction would succeed on the newest block, and why not. Nothing is sent. */
export const simulateTransaction: Handler = async ({ chain }, { body }) => {
  const fields = new Fields(body);
  const { from, data = '0x', value } = readDraft(fields);
  const to = fields.address('to');
  fields.check();
  const outcome = await tried(chain, {
    to,
    data,
    ...(from !== undefined && { from }),
    ...(value !== undefined && { value }),
  });
  return {
    result: { success: outcome.ok, message: outcome.ok ? '' : errorText(outcome.message) },
  };
};

/** Bytecode and encoded constructor arguments: the data of a transaction that deploys. */
export const deployEncode: Handler = async (_context, { body }) => {
  const fields = new Fields(body);
  const abi = abiField(fields);
  const bytecode = fields.text('bytecode', MAX_DATA);
  if (bytecode !== '' && !HEX.test(bytecode))
    fields.fault('bytecode', 'must be 0x and an even number of hex digits.');
  const params = paramsOf(fields);
  const inputs = constructorInputs(abi);
  let args = '0x';
  const names = new Set(inputs.map(({ name }) => name));
  const stranger = Object.keys(params).find((name) => !names.has(name));
  if (stranger !== undefined)
    fields.within({}, 'params').fault(stranger, 'is no parameter of the constructor.');
  try {
    args = encodeArguments(inputs, params);
  } catch (cause) {
    if (cause instanceof AbiFault) fields.within({}, 'params').fault(cause.path, cause.message);
    else fields.fault('abi', 'holds a type that cannot be encoded.');
  }
  fields.check();
  return { result: bytecode + args.slice(2) };
};

/** Selector and encoded arguments: the data of a transaction that executes a method. */
export const executeEncode: Handler = async (_context, { body }) => {
  const fields = new Fields(body);
  const abi = abiField(fields);
  fields.address('contract_address');
  const name = fields.text('method_name');
  const params = paramsOf(fields);
  const method = name === '' ? undefined : findMethod(abi, name, params);
  if (name !== '' && !method) fields.unknown('method_name');
  const data = method ? encoded(fields, method, params) : '';
  fields.check();
  return { result: data };
};

function abiField(fields: Fields): readonly JsonObject[] {
  const value = fields.value('abi');
  const abi = readAbi(value);
  if (value === undefined) fields.fault('abi', 'is required.');
  else if (!abi) fields.fault('abi', 'must be an array.');
  return abi ?? [];
}

function readDraft(fields: Fields): Draft {
  const data = fields.optionalText('data', MAX_DATA);
  if (data !== undefined && !HEX.test(data))
    fields.fault('data', 'must be 0x and an even number of hex digits.');
  return {
    from: fields.value('from') === undefined ? undefined : fields.address('from'),
    to: fields.value('to') === undefined ? undefined : fields.address('to'),
    data,
    value: readWei(fields),
    nonce: fields.optionalInteger('nonce'),
  };
}

function readWei(fields: Fields): bigint | undefined {
  const value = fields.value('value');
  if (value === undefined) return undefined;
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === 'string' && /^\d{1,77}$/.test(text)) return BigInt(text);
  fields.fault('value', 'must be an amount of wei (large ones as a decimal string).');
  return undefined;
}

/** The node's words as the service gives them. */
function errorText(message: string): string {
  const reason = /^execution reverted:? ?(.*)$/s.exec(message)?.[1];
  if (reason === undefined) return `Returned error: ${message}`;
  return `Returned error: VM Exception while processing transaction: revert ${reason}`.trim();
}
