import type { PutFile } from '../../files/files.js';
import type { Reader, Writer } from '../../state/records.js';
import { timestampOf } from '../../state/timestamp.js';
import { notFound, ServiceError, type Call, type Context, type Handler } from '../handler.js';
import { Busy } from '../../admission/refusals.js';
import { pageOf, paginationOf } from '../page.js';
import { wire } from '../wire.js';
import { findProject, PAGE_SIZE } from './projects.js';
import { slugOf } from './slug.js';
import { VERSION_COLUMNS, type ArtifactRow, type KeptSource, type VersionRow } from './tables.js';
import { readVersionForm, type VersionForm } from './version-form.js';
import { emittedEvents, listedVersion, shownArtifact, writtenVersion } from './version-views.js';

/** The organisation's version that a path names. @throws ServiceError 404 */
export async function findVersion(reader: Reader, call: Call): Promise<VersionRow> {
  const project = await findProject(reader, call);
  const sql = `SELECT ${VERSION_COLUMNS} FROM versions WHERE project_id = ? AND slug = ?`;
  const row = await reader.first<VersionRow>(sql, [project.id, call.params['versionSlug'] ?? '']);
  if (!row) throw notFound();
  return row;
}

/** Artifacts of a version's newest submission, in the order of their ids. */
async function artifactsOf(reader: Reader, version: VersionRow): Promise<readonly ArtifactRow[]> {
  const sql = 'SELECT * FROM artifacts WHERE version_id = ? AND queue_place = ? ORDER BY id';
  return reader.all<ArtifactRow>(sql, [version.id, version.queue_place]);
}

/** Those of a version's newest artifacts that have one of these ids. */
export async function artifactsById(
  reader: Reader,
  version: VersionRow,
  ids: readonly number[],
): Promise<readonly ArtifactRow[]> {
  const sql = 'SELECT * FROM artifacts WHERE id = ? AND version_id = ? AND queue_place = ?';
  const rows: ArtifactRow[] = [];
  for (const id of ids)
    rows.push(...(await reader.all<ArtifactRow>(sql, [id, version.id, version.queue_place])));
  return rows;
}

/** Versions of a project, newest first. */
export const listVersions: Handler = async (context, call) => {
  const { records, settings } = context;
  const page = pageOf(call.query, PAGE_SIZE);
  const project = await findProject(records, call);
  const count = 'SELECT count(*) AS n FROM versions WHERE project_id = ?';
  const total = (await records.first<{ n: number }>(count, [project.id]))?.n ?? 0;
  const sql = `SELECT ${VERSION_COLUMNS} FROM versions WHERE project_id = ? ORDER BY id DESC LIMIT ? OFFSET ?`;
  const rows = await records.all<VersionRow>(sql, [project.id, page.size, page.offset]);
  const url = `${settings.publicUrl}/api/contract/projects/${project.slug}/versions`;
  return {
    result: rows.map((row) => wire(listedVersion(row, context))),
    pagination: paginationOf(page, total, url),
  };
};

/** One version with its artifacts, sources and deployed instances. */
export const versionDetail: Handler = async (context, call) => {
  const { records, files } = context;
  const version = await findVersion(records, call);
  const artifacts = await artifactsOf(records, version);
  const instances = await records.all<{ address: string; name: string; abi: string }>(
    `SELECT instances.address, artifacts.name, artifacts.abi FROM instances
     JOIN artifacts ON artifacts.id = instances.artifact_id
     WHERE instances.version_id = ? AND instances.status = 'success' ORDER BY instances.id`,
    [version.id],
  );
  const sources = JSON.parse(version.sources) as readonly KeptSource[];
  return {
    result: {
      ...wire(listedVersion(version, context)),
      artifacts: artifacts.map((row) => wire(shownArtifact(row, files))),
      contract_files: sources.map(({ filename, path }) => ({ filename, url: files.url(path) })),
      emitted_events: instances.map(({ address, ...artifact }) => wire(emittedEvents(address, artifact))),
    },
  };
};

/** Creates a version and queues it. Its slug begins with its place among the versions of the project. */
export const createVersion: Handler = async (context, call) => {
  await findProject(context.records, call);
  const form = readVersionForm(call, context.settings.versions);
  const sources = await putSources(context, call.org, form);
  const time = timestampOf(context.now());
  const row = await context.records.transact(async (writer) => {
    const project = await findProject(writer, call);
    await refuseTooMany(writer, context, call.org);
    for (const { file } of sources) await context.files.keep(writer, file);
    await context.quotas.take(writer, call.org, 'versions');
    const made = await writer.first<{ n: number }>(
      'SELECT count(*) AS n FROM versions WHERE project_id = ?',
      [project.id],
    );
    const slug = [String((made?.n ?? 0) + 1), slugOf(form.version)].filter((part) => part !== '').join('-');
    const inserted = await writer.first<VersionRow>(
      `INSERT INTO versions (org, project_id, version, slug, status, compiler, optimizer_enabled, optimizer_runs,
        packages, sources, queue_place, created_at, updated_at)
       VALUES (?, ?, ?, ?, 'compile_queued', ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      [
        call.org,
        project.id,
        form.version,
        slug,
        ...settingsOf(form),
        sourcesJson(sources),
        await nextPlace(writer),
        time,
        time,
      ],
    );
    if (!inserted) throw new Error('the new version was not recorded');
    writer.afterCommit(() => {
      context.compiler.wake();
    });
    return inserted;
  });
  return { result: wire(writtenVersion(row, context)) };
};

/** Replaces what a version is made of, and queues it again. A deployed version, or one on its way, stays as it is. */
export const updateVersion: Handler = async (context, call) => {
  await findVersion(context.records, call);
  const form = readVersionForm(call, context.settings.versions);
  const sources = await putSources(context, call.org, form);
  const time = timestampOf(context.now());
  const row = await context.records.transact(async (writer) => {
    const version = await findVersion(writer, call);
    await refuseDeployed(writer, version);
    if (version.status !== 'compile_queued') await refuseTooMany(writer, context, call.org);
    for (const { file } of sources) await context.files.keep(writer, file);
    const updated = await writer.first<VersionRow>(
      `UPDATE versions SET version = ?, status = 'compile_queued', compiler = ?, optimizer_enabled = ?,
        optimizer_runs = ?, packages = ?, sources = ?, latest_error = '', last_compiled_at = NULL, queue_place = ?,
        updated_at = ? WHERE id = ? RETURNING *`,
      [form.version, ...settingsOf(form), sourcesJson(sources), await nextPlace(writer), time, version.id],
    );
    if (!updated) throw notFound();
    writer.afterCommit(() => {
      context.compiler.wake();
    });
    return updated;
  });
  return { result: wire(writtenVersion(row, context)) };
};

/** @throws ServiceError 429 while as many versions of the organisation wait as may */
async function refuseTooMany(reader: Reader, { settings }: Context, org: string): Promise<void> {
  const sql = `SELECT count(*) AS n FROM versions WHERE status = 'compile_queued' AND org = ?`;
  const { n = 0 } = (await reader.first<{ n: number }>(sql, [org])) ?? {};
  if (n < settings.versions.waiting) return;
  throw new Busy(429, `${String(n)} versions wait to be compiled already. Try again when some are.`, 5);
}

async function refuseDeployed(reader: Reader, version: VersionRow): Promise<void> {
  const message = 'The version is deployed and cannot be updated. Create a new version instead.';
  if (version.status === 'deployed') throw new ServiceError(422, message);
  const sql = `SELECT id FROM deployments WHERE version_id = ? AND status = 'pending' LIMIT 1`;
  if (await reader.first(sql, [version.id])) {
    throw new ServiceError(422, 'The version is being deployed and cannot be updated.');
  }
}

function settingsOf(form: VersionForm): [compiler: string, enabled: number, runs: number, packages: string] {
  return [form.compiler, form.optimizer.enabled ? 1 : 0, form.optimizer.runs, JSON.stringify(form.packages)];
}

async function nextPlace(writer: Writer): Promise<number> {
  const row = await writer.first<{ place: number }>(
    'SELECT coalesce(max(queue_place), 0) + 1 AS place FROM versions',
  );
  return row?.place ?? 1;
}

/** An uploaded source, on disk. */
interface PutSource {
  readonly filename: string;
  readonly file: PutFile;
}

async function putSources({ files }: Context, org: string, form: VersionForm): Promise<readonly PutSource[]> {
  return Promise.all(
    form.files.map(async ({ filename, bytes }) => ({
      filename,
      file: await files.put({ org, name: filename, contentType: 'text/plain', bytes }),
    })),
  );
}

function sourcesJson(sources: readonly PutSource[]): string {
  return JSON.stringify(
    sources.map(({ filename, file }) => ({ filename, path: file.path }) satisfies KeptSource),
  );
}
