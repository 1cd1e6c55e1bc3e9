import type { Json } from '../../model/json.js';
import type { Receipt } from '../../protocol/shapes.js';
import { notFound, type Context } from '../handlers/handler.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { DeployedContract, DeploymentItem, ListPage, ShownDeployment } from './shapes.js';

const FROM = `FROM deployments JOIN versions ON versions.id = deployments.version_id
  JOIN projects ON projects.id = versions.project_id WHERE deployments.org = ?`;

const COLUMNS = `deployments.deployment_id, projects.slug AS project, versions.version, versions.slug AS version_slug,
  deployments.status, deployments.created_at, deployments.deployed_at,
  (SELECT count(*) FROM instances WHERE deployment = deployments.id) AS contracts,
  (SELECT count(*) FROM instances WHERE deployment = deployments.id AND status = 'success') AS standing`;

/** Deployments, newest first; `status` filters them. */
export function listDeployments(
  { records }: Context,
  { org, query }: Query,
): Promise<ListPage<DeploymentItem>> {
  const filter = given([['deployments.status = ?', query['status']]]);
  const args = [org, ...filter.args];
  return readList(
    records,
    { columns: COLUMNS, from: FROM + filter.sql, args, order: 'deployments.id' },
    query,
  );
}

type DeploymentRow = DeploymentItem &
  Pick<ShownDeployment, 'latest_error'> & {
    readonly id: number;
    readonly wallet: string;
    readonly callback_url: string | null;
  };

type InstanceRow = Omit<DeployedContract, 'params' | 'receipt'> & {
  readonly params: string | null;
  readonly receipt: string | null;
};

/** One deployment with its contracts and their receipts. @throws ServiceError 404 */
export async function showDeployment({ records }: Context, { org, params }: Query): Promise<ShownDeployment> {
  const row = await records.first<DeploymentRow>(
    `SELECT ${COLUMNS}, deployments.id, deployments.wallet, deployments.latest_error, deployments.callback_url
     ${FROM} AND deployments.deployment_id = ?`,
    [org, params['id'] ?? ''],
  );
  if (!row) throw notFound();
  const { id, wallet, callback_url, ...shown } = row;
  const instances = await records.all<InstanceRow>(
    `SELECT artifacts.name AS contract, instances.address, instances.status, instances.message, instances.params,
      transactions.hash AS transaction_hash, instances.receipt
     FROM instances JOIN artifacts ON artifacts.id = instances.artifact_id
     LEFT JOIN transactions ON transactions.subject_type = 'instance' AND transactions.subject_id = instances.id
     WHERE instances.deployment = ? ORDER BY instances.id`,
    [id],
  );
  return {
    ...shown,
    wallet: JSON.parse(wallet) as ShownDeployment['wallet'],
    callback: originOf(callback_url),
    instances: instances.map(({ params: given, receipt, ...one }) => ({
      ...one,
      params: given === null ? null : (JSON.parse(given) as Json),
      receipt: receipt === null ? null : (JSON.parse(receipt) as Receipt),
    })),
  };
}

/** What may be shown of a callback address: the path is a secret of the caller. */
export function originOf(url: string | null): string | null {
  return url === null ? null : new URL(url).origin;
}
