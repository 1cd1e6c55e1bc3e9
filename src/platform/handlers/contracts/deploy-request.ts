import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';
import type { WalletOptions } from '../../../protocol/shapes.js';
import { SIGNED_CREATION_DIGITS } from '../../bodies/body-limits.js';
import { readSigned, type SignedTransaction } from '../../chain/signing.js';
import { callbackUrl } from '../callback-url.js';
import { Fields } from '../fields.js';
import type { Call, Context } from '../handler.js';
import { AbiFault, constructorInputs, encodeArguments } from './encode.js';
import { bindingFault, fillPlaceholders, placeholdersIn } from './binding/placeholders.js';
import type { StandingContracts } from './binding/standing.js';
import type { ArtifactRow } from './tables.js';
import { abiOf } from './version-views.js';

/** One contract of a deploy request, checked as far as the request alone allows. */
export interface DeployItem {
  readonly artifact: ArtifactRow;
  readonly order: number;
  /** As submitted; null when there are none. */
  readonly params: JsonObject | null;
  /** For a non-custodial wallet only. */
  readonly signed: SignedTransaction | undefined;
}

/** A checked deploy request; items in the order of deployment. */
export interface DeployRequest {
  readonly wallet: WalletOptions;
  readonly items: readonly DeployItem[];
  /** `deployment_params` as submitted. */
  readonly params: Json;
  readonly callbackUrl: string | undefined;
}

/** Init code that a chain takes at most, in bytes (EIP-3860). */
const INIT_CODE_BYTES = 49_152;

/** Stands for every address that is not known yet: only the shape of the arguments is checked with it. */
const SOME_ADDRESS = '0x0000000000000000000000000000000000000001';

/**
 * Reads a deploy request against the artifacts of its version. Everything is checked before anything is sent.
 *
 * @param earlier contracts that stand already, which `{Name_ADDRESS}` may name too
 * @throws ServiceError 422 with every mistake
 */
export function readDeployRequest(
  context: Context,
  call: Call,
  version: { readonly artifacts: readonly ArtifactRow[]; readonly earlier: StandingContracts },
): DeployRequest {
  const fields = new Fields(call.body);
  const options = fields.nested('wallet_options');
  const type = options.text('type');
  const address = options.address('address');
  const url = callbackUrl(context, fields);
  if (type !== '' && !isWalletType(type)) options.unknown('type');
  const params = fields.value('deployment_params');
  const list = Array.isArray(params) ? (params as readonly Json[]) : [];
  if (params !== undefined && !Array.isArray(params)) fields.fault('deployment_params', 'must be an array.');
  else if (list.length === 0) fields.fault('deployment_params', 'is required.');
  const signed = type === 'non_custodial';
  const read = list.flatMap((item, index) =>
    readItem(fields, item, { index, signed, artifacts: version.artifacts }),
  );
  for (const place of read) checkPlaceholders(fields, place, { read, earlier: version.earlier });
  checkOrders(fields, read);
  fields.check();
  const items = read.map(({ item }) => item).sort((a, b) => a.order - b.order);
  return {
    wallet: { type: isWalletType(type) ? type : 'organisation', address },
    items,
    params: params ?? [],
    callbackUrl: url,
  };
}

interface Place {
  readonly index: number;
  readonly item: DeployItem;
}

function isWalletType(type: string): type is WalletOptions['type'] {
  return type === 'organisation' || type === 'end_user' || type === 'non_custodial';
}

function readItem(
  parent: Fields,
  value: Json,
  about: { readonly index: number; readonly signed: boolean; readonly artifacts: readonly ArtifactRow[] },
): readonly Place[] {
  const name = `deployment_params.${String(about.index)}`;
  if (!isJsonObject(value)) {
    parent.fault(name, 'must be an object.');
    return [];
  }
  const fields = parent.within(value, name);
  const id = fields.integer('sc_artifact_id', 1);
  const order = fields.integer('order');
  const artifact = about.artifacts.find((candidate) => candidate.id === id);
  if (!artifact) {
    fields.unknown('sc_artifact_id');
    return [];
  }
  if (!/^0x([0-9a-f]{2})+$/.test(artifact.bytecode)) {
    const reason =
      artifact.bytecode === '0x' ? 'names an interface or abstract contract' : 'names a contract to link';
    fields.fault('sc_artifact_id', `${reason}, which cannot be deployed.`);
    return [];
  }
  const params = about.signed ? null : readParams(fields, artifact);
  const signed = about.signed ? readSignedItem(fields, artifact) : undefined;
  return [{ index: about.index, item: { artifact, order, params, signed } }];
}

function readParams(fields: Fields, artifact: ArtifactRow): JsonObject | null {
  const value = fields.value('params') ?? null;
  const inputs = constructorInputs(abiOf(artifact));
  if (value !== null && !isJsonObject(value) && !(Array.isArray(value) && value.length === 0)) {
    fields.fault('params', 'must be an object.');
    return null;
  }
  const given = isJsonObject(value) ? value : {};
  const params = fields.within(given, 'params');
  const names = new Set(inputs.map((input) => input.name));
  for (const name of Object.keys(given)) {
    if (!names.has(name)) params.fault(name, `is no parameter of ${artifact.name}.`);
  }
  const addresses = new Map(placeholdersIn(given).map((name) => [name, SOME_ADDRESS]));
  const filled = fillPlaceholders(given, addresses) as JsonObject;
  for (const input of inputs) checkArgument(params, input, filled);
  return isJsonObject(value) ? value : null;
}

function checkArgument(
  fields: Fields,
  input: ReturnType<typeof constructorInputs>[number],
  values: JsonObject,
): void {
  try {
    const size = encodeArguments([input], values).length / 2;
    if (size > INIT_CODE_BYTES) fields.fault(input.name, 'is too long for a transaction.');
  } catch (cause) {
    if (!(cause instanceof AbiFault)) throw cause;
    fields.fault(cause.path, cause.message);
  }
}

function readSignedItem(fields: Fields, artifact: ArtifactRow): SignedTransaction | undefined {
  const raw = fields.text('signed_trx', SIGNED_CREATION_DIGITS);
  if (raw === '') return undefined;
  try {
    const signed = readSigned(raw);
    if (signed.to !== null) fields.fault('signed_trx', 'must create a contract: its receiver must be empty.');
    if (!signed.data.toLowerCase().startsWith(artifact.bytecode)) {
      fields.fault('signed_trx', `does not begin with the bytecode of ${artifact.name}.`);
    }
    return signed;
  } catch {
    // The library's texts name its own parts; what matters to the caller is that it is none.
    fields.fault('signed_trx', 'must be a signed transaction in hex.');
    return undefined;
  }
}

/** Refuses every token that does not name one contract which stands, or is deployed before. */
function checkPlaceholders(
  fields: Fields,
  { index, item }: Place,
  about: { readonly read: readonly Place[]; readonly earlier: StandingContracts },
): void {
  const { artifact, order, params } = item;
  const places = about.read.map((place) => ({
    name: place.item.artifact.name,
    order: place.item.order,
    isItself: place.index === index,
  }));
  for (const [parameter, value] of Object.entries(params ?? {})) {
    for (const name of new Set(placeholdersIn(value))) {
      const standing = about.earlier.get(name) ?? [];
      const fault = bindingFault({ name, order }, { places, standing });
      const path = `deployment_params.${String(index)}.params.${parameter}`;
      const whose = `of ${artifact.name} with order ${String(order)}`;
      if (fault !== undefined) fields.fault(path, `${whose} names {${name}_ADDRESS}, ${fault}`);
    }
  }
}

function checkOrders(fields: Fields, read: readonly Place[]): void {
  const seen = new Map<number, string>();
  for (const { index, item } of read) {
    const { order, artifact } = item;
    const taken = seen.get(order);
    const text = `has a duplicate value: ${artifact.name} has the order ${String(order)}, as ${taken ?? ''} has.`;
    if (taken !== undefined) fields.fault(`deployment_params.${String(index)}.order`, text);
    seen.set(order, artifact.name);
  }
}
