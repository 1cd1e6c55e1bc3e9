import { isDeepStrictEqual } from 'node:util';
import { member, type Json, type JsonObject } from '../../../model/json.js';
import type { Deployment } from '../../../protocol/shapes.js';
import { DEPLOYED_AT_ONCE } from '../../bodies/body-limits.js';
import { gasFault } from '../../chain/chain.js';
import { adoptNonces } from '../../chain/foreign.js';
import { createAddress } from '../../chain/signing.js';
import type { Writer } from '../../state/records.js';
import { timestampOf } from '../../state/timestamp.js';
import { invalid, ServiceError, type Call, type Context, type Handler } from '../handler.js';
import { wire } from '../wire.js';
import { readDeployRequest, type DeployItem, type DeployRequest } from './deploy-request.js';
import { constructorInputs, encodeArguments } from './encode.js';
import { fillPlaceholders, placeholdersIn } from './binding/placeholders.js';
import { findProject } from './projects.js';
import { addressesOf, standingContracts, type StandingContracts } from './binding/standing.js';
import type { VersionRow } from './tables.js';
import { abiOf } from './version-views.js';
import { artifactsById, findVersion } from './versions.js';

/** Placeholders in one request: each is looked for among all contracts of it. */
const MOST_PLACEHOLDERS = 5000;

/** Subject type of the transactions that create contract instances. */
export const INSTANCE_SUBJECT = 'instance';

/**
 * Deploys contracts of a version. All of them are signed and recorded at once, each with the address the chain will
 * give it, so that the whole deployment fits one block; when one fails, those behind it are not sent.
 */
export const deployVersion: Handler = async (context, call) => {
  const version = await findVersion(context.records, call);
  refuseUndeployable(context, version);
  const mentioned = mentionedIn(call.body['deployment_params'] ?? null);
  const artifacts = await artifactsById(context.records, version, mentioned.ids);
  const own = new Set(artifacts.map(({ name }) => name));
  const names = mentioned.names.filter((name) => !own.has(name));
  const earlier = await standingContracts(context.records, version, names);
  const request = readDeployRequest(context, call, { artifacts, earlier });
  if (request.wallet.type === 'non_custodial') {
    await adoptNonces(context.chain, context.records, [request.wallet.address]);
  }
  return context.records.transact(async (writer) => {
    const current = await findVersion(writer, call);
    if (current.queue_place !== version.queue_place) throw new ServiceError(422, 'The version has changed.');
    refuseUndeployable(context, current);
    const addresses = await unchangedAddresses(writer, current, { earlier, names });
    const begin = await beginning(context, writer, { call, request });
    const row = await recordDeployment(context, writer, { call, request, version: current });
    for (const [index, item] of request.items.entries()) {
      const place = { row, item, addresses, request, org: call.org };
      await submitItem(context, writer, place);
      addresses.set(item.artifact.name, createAddress(request.wallet.address, begin + index));
    }
    return { result: wire(row.shown) };
  });
};

/** Where tokens lead that name nothing of the request. @throws ServiceError 422 when that changed since it was checked */
async function unchangedAddresses(
  writer: Writer,
  version: VersionRow,
  { earlier, names }: { readonly earlier: StandingContracts; readonly names: readonly string[] },
): Promise<Map<string, string>> {
  const now = await standingContracts(writer, version, names);
  if (!isDeepStrictEqual(now, earlier))
    throw new ServiceError(422, 'The contracts of the version have changed.');
  return new Map(addressesOf(now));
}

function refuseUndeployable({ settings }: Context, version: VersionRow): void {
  if (version.status === 'compile_queued' || version.status === 'compile_failed') {
    throw new ServiceError(422, 'The version is not compiled.');
  }
  if (version.status !== 'deployed' || settings.allowRedeploy) return;
  throw new ServiceError(422, 'The version is deployed already. Create a new version instead.');
}

/** The artifacts and contract names that a request speaks of, whatever else is wrong with it. */
function mentionedIn(params: Json): { readonly ids: readonly number[]; readonly names: readonly string[] } {
  const items = Array.isArray(params) ? (params as readonly Json[]) : [];
  const names = placeholdersIn(params);
  if (items.length > DEPLOYED_AT_ONCE) throw tooMany(`${String(DEPLOYED_AT_ONCE)} items`);
  if (names.length > MOST_PLACEHOLDERS) throw tooMany(`${String(MOST_PLACEHOLDERS)} placeholders`);
  const ids = items
    .map((item) => Number(member(item, 'sc_artifact_id')))
    .filter((id) => Number.isSafeInteger(id));
  return { ids: [...new Set(ids)], names: [...new Set(names)] };
}

function tooMany(most: string): ServiceError {
  return invalid({
    deployment_params: [`The deployment params field must not have more than ${most}.`],
  });
}

/** The nonce of the first transaction, after the wallet was checked. */
async function beginning(
  context: Context,
  writer: Writer,
  { call, request }: { readonly call: Call; readonly request: DeployRequest },
): Promise<number> {
  const { type, address } = request.wallet;
  const nonce = await context.transactions.nextNonce(writer, address);
  if (type === 'non_custodial') {
    // The signature alone counts: the keys of the development wallets are known to everybody.
    checkSigned(context, request, nonce);
    return nonce;
  }
  const wallet = await context.wallets.find(writer, call.org, address);
  if (!wallet?.is_active || wallet.wallet_type !== type) {
    throw invalid({ 'wallet_options.address': ['The selected wallet options.address is invalid.'] });
  }
  return nonce;
}

function checkSigned(context: Context, request: DeployRequest, begin: number): void {
  const errors: Record<string, readonly string[]> = {};
  for (const [index, { signed, order }] of request.items.entries()) {
    if (!signed) continue;
    const faults: string[] = [];
    if (signed.chainId !== BigInt(context.chain.chainId)) {
      faults.push(`is not signed for chain ${String(context.chain.chainId)}.`);
    }
    if (signed.sender.toLowerCase() !== request.wallet.address.toLowerCase()) {
      faults.push('is not signed by wallet_options.address.');
    }
    if (signed.nonce !== begin + index) {
      faults.push(`has nonce ${String(signed.nonce)}, but ${String(begin + index)} is next.`);
    }
    const tooMuch = gasFault(context.chain, signed.gasLimit);
    if (tooMuch !== undefined) faults.push(tooMuch);
    if (faults.length > 0) {
      errors[`deployment_params.${String(index)}.signed_trx`] = faults.map(
        (fault) => `The signed transaction with order ${String(order)} ${fault}`,
      );
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

interface RecordedDeployment {
  readonly id: number;
  readonly shown: Deployment;
}

async function recordDeployment(
  context: Context,
  writer: Writer,
  about: { readonly call: Call; readonly request: DeployRequest; readonly version: VersionRow },
): Promise<RecordedDeployment> {
  const { call, request, version } = about;
  const project = await findProject(writer, call);
  const prefix = `${project.slug}_${version.slug}_`;
  const params = JSON.stringify(request.params);
  // Each item's own are kept with its contract, too.
  await context.quotas.take(writer, call.org, 'storedBytes', 2 * params.length);
  let seconds = await freeSecond(context, writer, { prefix, version });
  const name = (): string => `${prefix}${String(seconds)}`;
  // A version that was deleted may have had the same name.
  const taken = 'SELECT id FROM deployments WHERE org = ? AND deployment_id = ?';
  while (await writer.first(taken, [call.org, name()])) seconds += 1;
  const time = timestampOf(seconds * 1000);
  const row = await writer.first<{ id: number }>(
    `INSERT INTO deployments (org, version_id, deployment_id, status, wallet, params, callback_url, created_at,
      updated_at) VALUES (?, ?, ?, 'pending', ?, ?, ?, ?, ?) RETURNING id`,
    [
      call.org,
      version.id,
      name(),
      JSON.stringify(request.wallet),
      params,
      request.callbackUrl ?? null,
      time,
      time,
    ],
  );
  const shown: Deployment = {
    deployment_id: name(),
    status: 'pending',
    wallet_options: request.wallet,
    deployment_params: request.params as unknown as Deployment['deployment_params'],
    latest_error: null,
    deployed_at: null,
    created_at: time,
    updated_at: time,
  };
  return { id: row?.id ?? 0, shown };
}

/** The second that names the next deployment of a version: now, or the one after that of the deployment before. */
async function freeSecond(
  context: Context,
  writer: Writer,
  { prefix, version }: { readonly prefix: string; readonly version: VersionRow },
): Promise<number> {
  const last = await writer.first<{ deployment_id: string }>(
    'SELECT deployment_id FROM deployments WHERE version_id = ? ORDER BY id DESC LIMIT 1',
    [version.id],
  );
  const now = Math.floor(context.now() / 1000);
  // Many in one second are named ahead of it: trying each name anew would cost the square of their number.
  const named =
    last?.deployment_id.startsWith(prefix) === true ? last.deployment_id.slice(prefix.length) : '';
  return /^\d+$/.test(named) ? Math.max(now, Number(named) + 1) : now;
}

async function submitItem(
  context: Context,
  writer: Writer,
  about: {
    readonly row: RecordedDeployment;
    readonly item: DeployItem;
    readonly addresses: ReadonlyMap<string, string>;
    readonly request: DeployRequest;
    readonly org: string;
  },
): Promise<void> {
  const { row, item, addresses, request, org } = about;
  const { artifact, params, signed } = item;
  const instance = await writer.first<{ id: number }>(
    `INSERT INTO instances (org, deployment, version_id, artifact_id, params) VALUES (?, ?, ?, ?, ?) RETURNING id`,
    [org, row.id, artifact.version_id, artifact.id, params && JSON.stringify(params)],
  );
  const id = instance?.id ?? 0;
  const subject = { type: INSTANCE_SUBJECT, id };
  const group = `deployment ${String(row.id)}`;
  if (signed) {
    const submission = { org, raw: signed.raw, subject, group };
    const { contractAddress } = await context.transactions.submitSigned(writer, submission);
    await writer.run('UPDATE instances SET address = ? WHERE id = ?', [contractAddress, id]);
    return;
  }
  const values = fillPlaceholders(params ?? {}, addresses) as JsonObject;
  const args = encodeArguments(constructorInputs(abiOf(artifact)), values);
  const submission = { org, from: request.wallet.address, to: null, data: artifact.bytecode + args.slice(2) };
  const { contractAddress } = await context.transactions.submit(writer, { ...submission, subject, group });
  await writer.run('UPDATE instances SET address = ? WHERE id = ?', [contractAddress, id]);
}
