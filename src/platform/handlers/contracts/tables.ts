import type { TableGroup } from '../../state/records.js';

/** Tables of projects, versions, artifacts, deployments and contract instances. */
export const CONTRACT_TABLES: TableGroup = {
  name: 'contracts',
  statements: [
    `CREATE TABLE IF NOT EXISTS projects (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, slug TEXT NOT NULL, name TEXT NOT NULL,
      description TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, UNIQUE (org, slug))`,
    `CREATE TABLE IF NOT EXISTS versions (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, project_id INTEGER NOT NULL REFERENCES projects (id),
      version TEXT NOT NULL, slug TEXT NOT NULL, status TEXT NOT NULL, compiler TEXT NOT NULL,
      optimizer_enabled INTEGER NOT NULL, optimizer_runs INTEGER NOT NULL, packages TEXT NOT NULL,
      sources TEXT NOT NULL, latest_error TEXT NOT NULL DEFAULT '', last_compiled_at TEXT, last_deployed_at TEXT,
      queue_place INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, UNIQUE (project_id, slug))`,
    `CREATE INDEX IF NOT EXISTS versions_queued ON versions (queue_place) WHERE status = 'compile_queued'`,
    `CREATE TABLE IF NOT EXISTS artifacts (
      id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL REFERENCES versions (id),
      queue_place INTEGER NOT NULL, name TEXT NOT NULL, abi TEXT NOT NULL, bytecode TEXT NOT NULL,
      source TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS analyses (
      version_id INTEGER NOT NULL REFERENCES versions (id), queue_place INTEGER NOT NULL, report TEXT,
      vulnerabilities INTEGER, PRIMARY KEY (version_id, queue_place))`,
    'CREATE INDEX IF NOT EXISTS artifacts_by_version ON artifacts (version_id, queue_place)',
    `CREATE TABLE IF NOT EXISTS deployments (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, version_id INTEGER NOT NULL REFERENCES versions (id),
      deployment_id TEXT NOT NULL, status TEXT NOT NULL, wallet TEXT NOT NULL, params TEXT NOT NULL,
      callback_url TEXT, latest_error TEXT, deployed_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
      UNIQUE (org, deployment_id))`,
    'CREATE INDEX IF NOT EXISTS deployments_by_version ON deployments (version_id)',
    `CREATE TABLE IF NOT EXISTS instances (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, deployment INTEGER NOT NULL REFERENCES deployments (id),
      version_id INTEGER NOT NULL, artifact_id INTEGER NOT NULL REFERENCES artifacts (id), params TEXT,
      status TEXT NOT NULL DEFAULT 'pending', address TEXT, message TEXT NOT NULL DEFAULT '', receipt TEXT,
      deployed_at TEXT)`,
    'CREATE INDEX IF NOT EXISTS instances_by_deployment ON instances (deployment)',
    'CREATE INDEX IF NOT EXISTS instances_by_version ON instances (version_id, status)',
    'CREATE INDEX IF NOT EXISTS instances_by_address ON instances (address)',
  ],
};

/** A row of `projects`. */
export interface ProjectRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A row of `versions`. `queue_place` grows with every submission; artifacts carry that of the one they come from. */
export interface VersionRow {
  readonly id: number;
  readonly org: string;
  readonly project_id: number;
  readonly version: string;
  readonly slug: string;
  readonly status: 'compile_queued' | 'compiled' | 'compile_failed' | 'deployed';
  readonly compiler: string;
  readonly optimizer_enabled: number;
  readonly optimizer_runs: number;
  /** JSON array of package specs. */
  readonly packages: string;
  /** JSON array of {@link KeptSource}. */
  readonly sources: string;
  readonly latest_error: string;
  readonly last_compiled_at: string | null;
  readonly last_deployed_at: string | null;
  readonly queue_place: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Its deployments that are pending; only where it was selected. */
  readonly is_deploying?: number;
  /** Path of the kept report on this submission, and what it counts; only where they were selected. */
  readonly report?: string | null;
  readonly vulnerabilities?: number | null;
}

/** Columns of {@link VersionRow}, all of them. */
export const VERSION_COLUMNS = `versions.*, (SELECT count(*) FROM deployments
  WHERE version_id = versions.id AND status = 'pending') AS is_deploying, ${ofAnalysis('report')},
  ${ofAnalysis('vulnerabilities')}`;

function ofAnalysis(column: string): string {
  return `(SELECT ${column} FROM analyses WHERE version_id = versions.id
    AND analyses.queue_place = versions.queue_place) AS ${column}`;
}

/** An uploaded source and where it is kept. */
export interface KeptSource {
  readonly filename: string;
  /** Path of the kept file. */
  readonly path: string;
}

/** A row of `artifacts`. */
export interface ArtifactRow {
  readonly id: number;
  readonly version_id: number;
  readonly queue_place: number;
  readonly name: string;
  /** JSON array of ABI entries. */
  readonly abi: string;
  readonly bytecode: string;
  /** Path of the kept source file. */
  readonly source: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A row of `instances`: one contract of one deployment. */
export interface InstanceRow {
  readonly id: number;
  readonly deployment: number;
  readonly version_id: number;
  readonly artifact_id: number;
  /** JSON of the parameters as submitted. */
  readonly params: string | null;
  readonly status: 'pending' | 'success' | 'failed';
  /** Checksummed; predicted while pending. */
  readonly address: string | null;
  readonly message: string;
  readonly receipt: string | null;
  readonly deployed_at: string | null;
}
