import type { Context } from '../handlers/handler.js';
import { containing } from './list.js';
import type { Query } from './query.js';
import type { SearchHit } from './shapes.js';

/** Hits of one kind that a search shows. */
const LIMIT = 6;

interface Found {
  readonly title: string;
  readonly detail: string;
  /** Parts of the page's address that are not in the section. */
  readonly first: string | number;
  readonly second: string | number | null;
}

/** One kind of thing that is searched: its section, and a query whose pattern stands `patterns` times in it. */
interface Place {
  readonly kind: string;
  readonly section: string;
  readonly patterns: number;
  readonly sql: string;
}

function like(column: string): string {
  return `lower(${column}) LIKE ? ESCAPE '!'`;
}

const PLACES: readonly Place[] = [
  {
    kind: 'project',
    section: 'projects',
    patterns: 2,
    sql: `SELECT name AS title, slug AS detail, slug AS first, NULL AS second FROM projects
      WHERE org = ? AND (${like('name')} OR ${like('slug')})`,
  },
  {
    kind: 'version',
    section: 'projects',
    patterns: 1,
    sql: `SELECT projects.slug || ' ' || versions.version AS title, versions.status AS detail, projects.slug AS first,
      versions.slug AS second FROM versions JOIN projects ON projects.id = versions.project_id
      WHERE versions.org = ? AND ${like("projects.slug || ' ' || versions.version")}`,
  },
  {
    kind: 'contract',
    section: 'deployments',
    patterns: 2,
    sql: `SELECT artifacts.name AS title, instances.address AS detail, deployments.deployment_id AS first, NULL AS second
      FROM instances JOIN artifacts ON artifacts.id = instances.artifact_id
      JOIN deployments ON deployments.id = instances.deployment
      WHERE instances.org = ? AND (${like('artifacts.name')} OR ${like('instances.address')})`,
  },
  {
    kind: 'deployment',
    section: 'deployments',
    patterns: 1,
    sql: `SELECT deployment_id AS title, status AS detail, deployment_id AS first, NULL AS second FROM deployments
      WHERE org = ? AND ${like('deployment_id')}`,
  },
  {
    kind: 'transaction',
    section: 'transactions',
    patterns: 2,
    sql: `SELECT hash AS title, subject_type AS detail, hash AS first, NULL AS second FROM transactions
      WHERE org = ? AND (${like('hash')} OR ${like('contract_address')})`,
  },
  {
    kind: 'audit record',
    section: 'audit',
    patterns: 1,
    sql: `SELECT substr(metadata, 1, 80) AS title, status AS detail, id AS first, NULL AS second FROM audit_records
      WHERE org = ? AND ${like('metadata')}`,
  },
  {
    kind: 'certificate contract',
    section: 'certificates',
    patterns: 3,
    sql: `SELECT name AS title, address AS detail, address AS first, NULL AS second FROM certificate_contracts
      WHERE org = ? AND address IS NOT NULL AND (${like('name')} OR ${like('nickname')} OR ${like('address')})`,
  },
  {
    kind: 'wallet',
    section: 'wallets',
    patterns: 1,
    sql: `SELECT address AS title, wallet_type AS detail, address AS first, NULL AS second FROM wallets
      WHERE org = ? AND wallet_type <> 'system' AND ${like('address')}`,
  },
];

/** What a text is part of: names, slugs, addresses, hashes and metadata, never what names a person. */
export async function search({ records }: Context, { org, query }: Query): Promise<readonly SearchHit[]> {
  const text = (query['q'] ?? '').trim();
  if (text.length < 2 || text.length > 200) return [];
  const hits = PLACES.map(async ({ kind, section, patterns, sql }) => {
    const args = [org, ...Array.from({ length: patterns }, () => containing(text))];
    const rows = await records.all<Found>(`${sql} LIMIT ${String(LIMIT)}`, args);
    return rows.map(({ title, detail, first, second }): SearchHit => {
      const path = [section, String(first), ...(second === null ? [] : [String(second)])];
      return { kind, title, detail, path };
    });
  });
  return (await Promise.all(hits)).flat();
}
