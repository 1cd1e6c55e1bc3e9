import { checksummed } from '../../chain/signing.js';
import type { Json, JsonObject } from '../../../model/json.js';
import type { Receipt } from '../../../protocol/shapes.js';
import { notFound, type Handler } from '../handler.js';
import { pageOf, paginationOf } from '../page.js';
import { wire } from '../wire.js';
import { PAGE_SIZE } from './projects.js';
import type { ArtifactRow } from './tables.js';
import { shownArtifact } from './version-views.js';

interface ListedRow {
  readonly address: string;
  readonly params: string | null;
  readonly contract: string;
  readonly project: string;
  readonly version: string;
  readonly deployed_at: string;
}

interface DetailRow {
  readonly address: string;
  readonly params: string | null;
  readonly artifact_id: number;
  readonly deployed_at: string;
  readonly receipt: string;
  readonly deployment_id: string;
}

const FROM = `FROM instances JOIN artifacts ON artifacts.id = instances.artifact_id
  JOIN versions ON versions.id = instances.version_id JOIN projects ON projects.id = versions.project_id
  JOIN deployments ON deployments.id = instances.deployment
  WHERE instances.org = ? AND instances.status = 'success'`;

/** Deployed contracts, newest first; `filter-version` takes a version's slug, `filter-deployment_id` a deployment. */
export const listInstances: Handler = async ({ records, settings }, { org, query }) => {
  const page = pageOf(query, PAGE_SIZE);
  const filters: readonly (readonly [string, string | undefined])[] = [
    [' AND versions.slug = ?', query['filter-version']],
    [' AND deployments.deployment_id = ?', query['filter-deployment_id']],
  ];
  const used = filters.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const from = FROM + used.map(({ sql }) => sql).join('');
  const args = [org, ...used.map(({ value }) => value)];
  const total = await records.first<{ n: number }>(`SELECT count(*) AS n ${from}`, args);
  const rows = await records.all<ListedRow>(
    `SELECT instances.address, instances.params, artifacts.name AS contract, projects.name AS project,
      versions.version, instances.deployed_at ${from} ORDER BY instances.id DESC LIMIT ? OFFSET ?`,
    [...args, page.size, page.offset],
  );
  const url = `${settings.publicUrl}/api/contract/smart-contracts`;
  return { result: rows.map(listed), pagination: paginationOf(page, total?.n ?? 0, url) };
};

/** One deployed contract by address, with its artifact and the gas that it took. */
export const instanceDetail: Handler = async ({ records, files }, { org, params }) => {
  const address = checksummed(params['address']) ?? '';
  const row = await records.first<DetailRow>(
    `SELECT instances.address, instances.params, instances.artifact_id, instances.deployed_at, instances.receipt,
      deployments.deployment_id ${FROM} AND instances.address = ? ORDER BY instances.id DESC LIMIT 1`,
    [org, address],
  );
  const artifact =
    row && (await records.first<ArtifactRow>('SELECT * FROM artifacts WHERE id = ?', [row.artifact_id]));
  if (!row || !artifact) throw notFound();
  const { gasUsed } = JSON.parse(row.receipt) as Receipt;
  const total = await records.all<{ receipt: string }>(
    `SELECT receipt FROM transactions WHERE org = ? AND recipient = ? AND receipt IS NOT NULL`,
    [org, address],
  );
  const later = total.reduce((sum, { receipt }) => sum + (JSON.parse(receipt) as Receipt).gasUsed, 0);
  return {
    result: {
      contract_address: row.address,
      deployment_params: parsed(row.params),
      artifact: wire(shownArtifact(artifact, files)),
      deployed_at: row.deployed_at,
      deployment_id: row.deployment_id,
      deploy_gas_used: gasUsed,
      total_gas_used: gasUsed + later,
    },
  };
};

function listed(row: ListedRow): JsonObject {
  return {
    contract_address: row.address,
    deployment_params: parsed(row.params),
    contract_name: row.contract,
    project_name: row.project,
    version: row.version,
    deployed_at: row.deployed_at,
  };
}

function parsed(params: string | null): Json {
  return params === null ? null : (JSON.parse(params) as Json);
}
