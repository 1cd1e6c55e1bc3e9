import type { Reader } from '../state/records.js';

/** What a transaction or callback is about, in words that name the thing as lists do, and the thing's page in the console. */
export interface About {
  readonly text: string;
  /** Empty: it has no page. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

interface Named {
  readonly id: number;
  readonly text: string;
  readonly first: string | null;
  readonly second: string | number | null;
}

interface Kind {
  readonly section: string;
  /** Name of the query member that `first` goes into; without one it is a part of the path. */
  readonly filter?: string;
  /** Ends in `IN (`: the ids of the subjects come next. */
  readonly sql: string;
}

/** Records by the type of their subject. Their ids say nothing to people: a token is known by its own number. */
const KINDS: Readonly<Record<string, Kind>> = {
  instance: {
    section: 'deployments',
    sql: `SELECT i.id, 'deployment of ' || a.name AS text, d.deployment_id AS first, NULL AS second FROM instances i
      JOIN artifacts a ON a.id = i.artifact_id JOIN deployments d ON d.id = i.deployment WHERE i.org = ? AND i.id IN (`,
  },
  execution: {
    section: 'deployments',
    sql: `SELECT i.id, 'call of ' || a.name AS text, d.deployment_id AS first, NULL AS second FROM instances i
      JOIN artifacts a ON a.id = i.artifact_id JOIN deployments d ON d.id = i.deployment WHERE i.org = ? AND i.id IN (`,
  },
  'audit-contract': {
    section: 'audit',
    filter: 'contract',
    sql: `SELECT id, 'audit contract ' || name AS text, address AS first, NULL AS second FROM audit_contracts
      WHERE org = ? AND id IN (`,
  },
  'audit-record': {
    section: 'audit',
    sql: `SELECT id, 'audit record ' || id AS text, NULL AS first, id AS second FROM audit_records
      WHERE org = ? AND id IN (`,
  },
  'certificate-contract': {
    section: 'certificates',
    sql: `SELECT id, 'certificate contract ' || nickname AS text, address AS first, NULL AS second
      FROM certificate_contracts WHERE org = ? AND id IN (`,
  },
  certificate: {
    section: 'certificates',
    sql: `SELECT t.id, CASE t.is_mint WHEN 1 THEN 'mint of ' ELSE 'transfer of ' END || c.symbol || ' ' || t.token_id
      AS text, c.address AS first, t.token_id AS second FROM certificate_transactions t
      JOIN certificate_contracts c ON c.id = t.contract_id WHERE t.org = ? AND t.id IN (`,
  },
  'certificate-owner': {
    section: 'certificates',
    sql: `SELECT o.id, 'new owner of ' || c.nickname AS text, c.address AS first, NULL AS second
      FROM certificate_owner_transfers o JOIN certificate_contracts c ON c.id = o.contract_id
      WHERE o.org = ? AND o.id IN (`,
  },
};

/** Words for what has no record of its own. */
const WORDS: Readonly<Record<string, string>> = {
  external: 'sent by JSON-RPC',
  filler: 'frees a nonce',
  funding: 'gas payment',
};

/**
 * What subjects are about, by their text: the type, a space, the id. A deployment's id is its name; ids of what is no
 * record of the organisation stay words.
 *
 * @param subjects those of one page of a list
 */
export async function aboutSubjects(
  reader: Reader,
  org: string,
  subjects: readonly string[],
): Promise<(subject: string) => About> {
  const wanted = new Map<string, number[]>();
  for (const subject of new Set(subjects)) {
    const [type, id] = partsOf(subject);
    if (KINDS[type] !== undefined && /^\d{1,15}$/.test(id))
      wanted.set(type, [...(wanted.get(type) ?? []), Number(id)]);
  }
  const found = new Map<string, About>();
  for (const [type, ids] of wanted) {
    const kind = KINDS[type];
    if (kind === undefined) continue;
    const rows = await reader.all<Named>(`${kind.sql}${ids.map(() => '?').join(', ')})`, [org, ...ids]);
    for (const row of rows) found.set(`${type} ${String(row.id)}`, aboutOf(kind, row));
  }
  return (subject) => found.get(subject) ?? plain(subject);
}

function aboutOf({ section, filter }: Kind, { text, first, second }: Named): About {
  if (filter !== undefined)
    return { text, path: [section], query: first === null ? {} : { [filter]: first } };
  const parts = [first, second].flatMap((part) => (part === null ? [] : [String(part)]));
  return { text, path: parts.length === 0 ? [] : [section, ...parts], query: {} };
}

function plain(subject: string): About {
  const [type, id] = partsOf(subject);
  if (type === 'deployment' && id !== '') return { text: subject, path: ['deployments', id], query: {} };
  return { text: WORDS[type] ?? type.replaceAll('-', ' '), path: [], query: {} };
}

function partsOf(subject: string): readonly [type: string, id: string] {
  const at = subject.indexOf(' ');
  return at < 0 ? [subject, ''] : [subject.slice(0, at), subject.slice(at + 1)];
}
