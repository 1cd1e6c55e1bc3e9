import type { Context } from '../handlers/handler.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { ContractItem, ListPage, VersionListItem } from './shapes.js';

/** Characters of an error that a list shows; the version's page has the rest. */
const SHOWN_ERROR = 2000;

/** Versions of all projects, newest first; `status` filters them. */
export function listVersions(
  { records }: Context,
  { org, query }: Query,
): Promise<ListPage<VersionListItem>> {
  const filter = given([['v.status = ?', query['status']]]);
  const columns = `p.slug AS project, v.version, v.slug, v.status, substr(v.latest_error, 1, ${String(SHOWN_ERROR)})
    AS latest_error, v.created_at, v.last_deployed_at`;
  const from = `FROM versions v JOIN projects p ON p.id = v.project_id WHERE v.org = ?${filter.sql}`;
  return readList(records, { columns, from, args: [org, ...filter.args], order: 'v.id' }, query);
}

/** Contracts of all deployments, newest first; `status` filters them. */
export function listContracts({ records }: Context, { org, query }: Query): Promise<ListPage<ContractItem>> {
  const filter = given([['i.status = ?', query['status']]]);
  const columns = `a.name AS contract, i.address, i.status, d.deployment_id, p.slug AS project, v.version,
    v.slug AS version_slug, i.deployed_at`;
  const from = `FROM instances i JOIN artifacts a ON a.id = i.artifact_id JOIN deployments d ON d.id = i.deployment
    JOIN versions v ON v.id = i.version_id JOIN projects p ON p.id = v.project_id WHERE i.org = ?${filter.sql}`;
  return readList(records, { columns, from, args: [org, ...filter.args], order: 'i.id' }, query);
}
