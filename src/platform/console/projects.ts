import { findProject } from '../handlers/contracts/projects.js';
import { VERSION_COLUMNS, type VersionRow } from '../handlers/contracts/tables.js';
import { listedVersion } from '../handlers/contracts/version-views.js';
import { findVersion, versionDetail } from '../handlers/contracts/versions.js';
import type { Call, Context } from '../handlers/handler.js';
import { readList } from './list.js';
import type { Query } from './query.js';
import type {
  ListedVersion,
  ListPage,
  ProjectItem,
  ShownProject,
  ShownVersion,
  VersionInstance,
} from './shapes.js';

/** Projects, newest first. */
export function listProjects({ records }: Context, { org, query }: Query): Promise<ListPage<ProjectItem>> {
  const columns = `slug, name, description, created_at,
    (SELECT count(*) FROM versions WHERE project_id = projects.id) AS versions,
    (SELECT count(*) FROM versions WHERE project_id = projects.id AND status = 'compile_failed') AS failed,
    (SELECT version FROM versions WHERE project_id = projects.id ORDER BY id DESC LIMIT 1) AS newest,
    (SELECT status FROM versions WHERE project_id = projects.id ORDER BY id DESC LIMIT 1) AS newest_status,
    (SELECT max(last_deployed_at) FROM versions WHERE project_id = projects.id) AS deployed_at`;
  return readList(records, { columns, from: 'FROM projects WHERE org = ?', args: [org], order: 'id' }, query);
}

/** One project with all its versions, newest first. @throws ServiceError 404 */
export async function showProject(context: Context, { org, params }: Query): Promise<ShownProject> {
  const { records } = context;
  const { id, slug, name, description, created_at } = await findProject(records, callOf(org, params));
  const sql = `SELECT ${VERSION_COLUMNS} FROM versions WHERE project_id = ? ORDER BY id DESC`;
  const rows = await records.all<VersionRow>(sql, [id]);
  const versions = rows.map((row) => ({
    ...(listedVersion(row, context) as ListedVersion),
    optimizer: runsOf(row),
  }));
  return { slug, name, description, created_at, versions };
}

/** One version as the service's detail has it, with its optimizer and every contract of it that was sent to the chain. */
export async function showVersion(context: Context, { org, params }: Query): Promise<ShownVersion> {
  const call = callOf(org, params);
  const version = await findVersion(context.records, call);
  const detail = await versionDetail(context, call);
  const instances = await context.records.all<VersionInstance>(
    `SELECT artifacts.name AS contract, instances.address, instances.status, deployments.deployment_id
     FROM instances JOIN artifacts ON artifacts.id = instances.artifact_id
     JOIN deployments ON deployments.id = instances.deployment
     WHERE instances.version_id = ? ORDER BY instances.id DESC LIMIT 100`,
    [version.id],
  );
  const shown = detail.result as unknown as Omit<ShownVersion, 'optimizer' | 'instances'>;
  return { ...shown, optimizer: runsOf(version), instances };
}

/** Runs of the optimizer; null when it is off. */
function runsOf(row: VersionRow): number | null {
  return row.optimizer_enabled === 1 ? row.optimizer_runs : null;
}

function callOf(org: string, { slug = '', version = '' }: Query['params']): Call {
  return { org, params: { projectSlug: slug, versionSlug: version }, query: {}, body: {}, files: [] };
}
