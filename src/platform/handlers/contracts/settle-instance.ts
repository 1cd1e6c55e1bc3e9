import type { JsonObject } from '../../../model/json.js';
import type { DeploymentCallback } from '../../../protocol/shapes.js';
import { revertText } from '../../chain/revert.js';
import type { Settled, SettledListener } from '../../chain/transactions.js';
import type { Writer } from '../../state/records.js';
import { UPDATED_AT } from '../../state/timestamp.js';
import type { Context } from '../handler.js';
import { wire } from '../wire.js';
import type { InstanceRow } from './tables.js';

interface DeploymentRow {
  readonly id: number;
  readonly org: string;
  readonly version_id: number;
  readonly deployment_id: string;
  readonly callback_url: string | null;
}

/** Records how one contract of a deployment ended; the last one ends the deployment and sends its one callback. */
export function settleInstance(context: Context): SettledListener {
  return async (writer, settled) => {
    const time = await deployedAt(writer, settled);
    const instance = await recordInstance(writer, settled, time);
    if (!instance) return undefined;
    const waiting = `SELECT id FROM instances WHERE deployment = ? AND status = 'pending' LIMIT 1`;
    if (await writer.first(waiting, [instance.deployment])) return undefined;
    const sql = 'SELECT * FROM instances WHERE deployment = ? ORDER BY id';
    const all = await writer.all<InstanceRow>(sql, [instance.deployment]);
    await endDeployment(context, writer, { all, time });
    return undefined;
  };
}

/**
 * When a contract was deployed: its block's time, which is in whole seconds and of a clock that may have been put back,
 * but never before its version was compiled, the deployment was asked for, or another one ended.
 */
async function deployedAt(writer: Writer, { subject, timestamp }: Settled): Promise<string> {
  const before = await writer.first<Record<string, string | null>>(
    `SELECT versions.last_compiled_at, versions.last_deployed_at, deployments.created_at FROM instances
     JOIN versions ON versions.id = instances.version_id JOIN deployments ON deployments.id = instances.deployment
     WHERE instances.id = ?`,
    [subject.id],
  );
  return Object.values(before ?? {}).reduce<string>(
    (latest, time) => (time !== null && time > latest ? time : latest),
    timestamp,
  );
}

async function recordInstance(
  writer: Writer,
  settled: Settled,
  time: string,
): Promise<InstanceRow | undefined> {
  const ok = settled.status === 'success';
  const named = await writer.first<{ name: string; abi: string }>(
    `SELECT artifacts.name, artifacts.abi FROM instances JOIN artifacts ON artifacts.id = instances.artifact_id
     WHERE instances.id = ?`,
    [settled.subject.id],
  );
  const abi = JSON.parse(named?.abi ?? '[]') as readonly JsonObject[];
  const reason = revertText(settled.revertData, abi) ?? settled.message;
  return writer.first<InstanceRow>(
    `UPDATE instances SET status = ?, message = ?, receipt = ?, deployed_at = ? WHERE id = ? RETURNING *`,
    [
      settled.status,
      ok ? '' : `${named?.name ?? ''}: ${reason}`,
      settled.receipt && JSON.stringify(settled.receipt),
      ok ? time : null,
      settled.subject.id,
    ],
  );
}

async function endDeployment(
  { delivery, settings }: Context,
  writer: Writer,
  { all, time }: { readonly all: readonly InstanceRow[]; readonly time: string },
): Promise<void> {
  const failed = all.find(({ status }) => status === 'failed');
  const status = failed ? 'Error' : 'Completed';
  const error = failed?.message ?? null;
  const deployment = await writer.first<DeploymentRow>(
    `UPDATE deployments SET status = ?, latest_error = ?, deployed_at = ?, ${UPDATED_AT} WHERE id = ?
     RETURNING id, org, version_id, deployment_id, callback_url`,
    [status, error, failed ? null : time, time, time, all[0]?.deployment ?? 0],
  );
  if (!deployment) return;
  await noteOnVersion(writer, deployment.version_id, { error, time });
  const { org, callback_url: url, deployment_id: id } = deployment;
  if (url === null) return;
  const body: DeploymentCallback = {
    status,
    message: error ?? 'Success',
    deployment_id: id,
    deployed_contract_addresses:
      failed && !settings.listPartialDeployment ? [] : all.flatMap(deployedContract),
  };
  await delivery.enqueue(writer, { org, url, body: wire(body), subject: `deployment ${id}` });
}

async function noteOnVersion(
  writer: Writer,
  id: number,
  { error, time }: { readonly error: string | null; readonly time: string },
): Promise<void> {
  if (error !== null) {
    const sql = `UPDATE versions SET latest_error = ?, ${UPDATED_AT} WHERE id = ?`;
    await writer.run(sql, [error, time, time, id]);
    return;
  }
  await writer.run(
    `UPDATE versions SET status = 'deployed', latest_error = '', last_deployed_at = ?, ${UPDATED_AT} WHERE id = ?`,
    [time, time, time, id],
  );
}

type DeployedContract = DeploymentCallback['deployed_contract_addresses'][number];

function deployedContract(row: InstanceRow): readonly DeployedContract[] {
  if (row.status !== 'success' || row.address === null || row.receipt === null) return [];
  const receipt = JSON.parse(row.receipt) as DeployedContract['receipt'];
  return [{ sc_artifact_id: row.artifact_id, contract_address: row.address, receipt }];
}
