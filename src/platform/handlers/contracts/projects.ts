import type { Project } from '../../../protocol/shapes.js';
import type { Reader, Writer } from '../../state/records.js';
import { timestampOf } from '../../state/timestamp.js';
import { Fields } from '../fields.js';
import { notFound, type Call, type Handler } from '../handler.js';
import { pageOf, paginationOf } from '../page.js';
import { wire } from '../wire.js';
import { slugOf } from './slug.js';
import type { ProjectRow } from './tables.js';

/** Rows on a page of every list of this part. */
export const PAGE_SIZE = 10;

const SELECT = `SELECT projects.*,
  (SELECT version FROM versions WHERE project_id = projects.id ORDER BY id DESC LIMIT 1) AS newest,
  (SELECT max(last_deployed_at) FROM versions WHERE project_id = projects.id) AS deployed FROM projects`;

interface ShownRow extends ProjectRow {
  readonly newest: string | null;
  readonly deployed: string | null;
}

/** The organisation's project that a path names. @throws ServiceError 404 */
export async function findProject(reader: Reader, { org, params }: Call): Promise<ProjectRow> {
  const sql = 'SELECT * FROM projects WHERE org = ? AND slug = ?';
  const row = await reader.first<ProjectRow>(sql, [org, params['projectSlug'] ?? '']);
  if (!row) throw notFound();
  return row;
}

/** Projects, newest first. */
export const listProjects: Handler = async ({ records, settings }, { org, query }) => {
  const page = pageOf(query, PAGE_SIZE);
  const count = await records.first<{ n: number }>('SELECT count(*) AS n FROM projects WHERE org = ?', [org]);
  const sql = `${SELECT} WHERE org = ? ORDER BY id DESC LIMIT ? OFFSET ?`;
  const rows = await records.all<ShownRow>(sql, [org, page.size, page.offset]);
  const url = `${settings.publicUrl}/api/contract/projects`;
  return {
    result: rows.map((row) => wire(shown(row))),
    pagination: paginationOf(page, count?.n ?? 0, url),
  };
};

/** One project. */
export const projectDetail: Handler = async ({ records }, call) => {
  const { id } = await findProject(records, call);
  return { result: wire(await shownById(records, id)) };
};

/** Creates a project. Names need not be unique: the slug of a second one ends in `-1`. */
export const createProject: Handler = async (context, { org, body }) => {
  const fields = new Fields(body);
  const name = fields.text('project_name');
  const description = fields.optionalText('description', 5000) ?? null;
  if (name !== '' && slugOf(name) === '') fields.fault('project_name', 'format is invalid.');
  fields.check();
  const time = timestampOf(context.now());
  return context.records.transact(async (writer) => {
    await context.quotas.take(writer, org, 'projects');
    const row = await writer.first<{ id: number }>(
      `INSERT INTO projects (org, slug, name, description, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
       RETURNING id`,
      [org, await freeSlug(writer, org, slugOf(name)), name, description, time, time],
    );
    return { result: wire(await shownById(writer, row?.id ?? 0)) };
  });
};

/** Renames a project; its slug stays. */
export const updateProject: Handler = async (context, call) => {
  const fields = new Fields(call.body);
  const name = fields.text('project_name');
  const description = fields.optionalText('description', 5000);
  fields.check();
  const time = timestampOf(context.now());
  return context.records.transact(async (writer) => {
    const project = await findProject(writer, call);
    await writer.run('UPDATE projects SET name = ?, description = ?, updated_at = ? WHERE id = ?', [
      name,
      description ?? project.description,
      time,
      project.id,
    ]);
    return { result: wire(await shownById(writer, project.id)) };
  });
};

async function freeSlug(writer: Writer, org: string, slug: string): Promise<string> {
  for (let suffix = 0; ; suffix += 1) {
    const candidate = suffix === 0 ? slug : `${slug}-${String(suffix)}`;
    const taken = await writer.first('SELECT id FROM projects WHERE org = ? AND slug = ?', [org, candidate]);
    if (!taken) return candidate;
  }
}

async function shownById(reader: Reader, id: number): Promise<Project> {
  const row = await reader.first<ShownRow>(`${SELECT} WHERE id = ?`, [id]);
  if (!row) throw notFound();
  return shown(row);
}

function shown(row: ShownRow): Project {
  return {
    project_name: row.name,
    slug: row.slug,
    description: row.description,
    version: row.newest,
    last_deployed_at: row.deployed,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
