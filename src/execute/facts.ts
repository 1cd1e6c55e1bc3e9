import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { callbackClaim, callbackFields } from '../protocol/envelope.js';
import type { CallbackHint } from '../kinds/operation.js';

const KEPT = ['status', 'message', 'deployment_id', 'transactionHash', 'nonce', 'from', 'contract_address'];
const KEPT_OF_RECEIPT = ['transactionHash', 'contractAddress', 'status', 'blockNumber'];
const MAX_TEXT = 500;

/** A callback body cut down to what can bear on an outcome: short texts, receipts without logs. */
export function hintOf(body: Json): CallbackHint {
  const fields = callbackFields(body);
  return {
    claim: callbackClaim(body),
    facts: Object.assign(pick(fields, KEPT), receiptOf(fields), deployedOf(fields)),
  };
}

function deployedOf(fields: JsonObject): JsonObject {
  const deployed = fields['deployed_contract_addresses'];
  if (!Array.isArray(deployed)) return {};
  const items = (deployed as readonly Json[]).filter(isJsonObject);
  return {
    deployed_contract_addresses: items.map((item) => ({
      ...pick(item, ['sc_artifact_id', 'contract_address']),
      ...receiptOf(item),
    })),
  };
}

function receiptOf(fields: JsonObject): JsonObject {
  const receipt = fields['receipt'];
  return isJsonObject(receipt) ? { receipt: pick(receipt, KEPT_OF_RECEIPT) } : {};
}

function pick(fields: JsonObject, keys: readonly string[]): JsonObject {
  const picked: { [key: string]: Json } = {};
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === 'string') picked[key] = value.slice(0, MAX_TEXT);
    else if (typeof value === 'number' || typeof value === 'boolean') picked[key] = value;
  }
  return picked;
}
