/**
 * One kind of thing that is searched. Its rows name `title`, `detail`, the parts `first` and `second` of the page's
 * address, and `filter`, what that page is narrowed to.
 */
export interface Place {
  readonly kind: string;
  readonly section: string;
  /** The rows of one organisation, whose only argument it is, newest first. */
  readonly rows: string;
  /** Columns that hold the text of a search, or of a row whose id it is. */
  readonly texts: readonly string[];
  /** Column that equals a search that is a number. */
  readonly number?: string;
  /** Columns of the tables that a whole hash or a whole address is looked for in by itself, however many rows there are. */
  readonly exact?: { readonly hash?: string; readonly address?: string };
  /** Name of the address's query member that takes `filter`. */
  readonly filter?: string;
}

const NONE = 'NULL AS second, NULL AS filter';

/**
 * Everything that a search looks through: names, slugs, keys, ids, addresses and hashes. No name of a person is among
 * it, whatever a wallet is called, and no path of a callback, which is the caller's secret.
 */
export const PLACES: readonly Place[] = [
  {
    kind: 'project',
    section: 'projects',
    texts: ['title', 'detail'],
    rows: `SELECT name AS title, slug AS detail, slug AS first, ${NONE} FROM projects WHERE org = ? ORDER BY id DESC`,
  },
  {
    kind: 'version',
    section: 'projects',
    texts: ['title', 'spelled', 'second'],
    rows: `SELECT p.slug || ' ' || v.version AS title, p.slug || '@' || v.version AS spelled, v.status AS detail,
      p.slug AS first, v.slug AS second, NULL AS filter
      FROM versions v JOIN projects p ON p.id = v.project_id WHERE v.org = ? ORDER BY v.id DESC`,
  },
  {
    kind: 'compiled contract',
    section: 'projects',
    texts: ['title'],
    rows: `SELECT a.name AS title, p.slug || ' ' || v.version AS detail, p.slug AS first, v.slug AS second, NULL AS filter
      FROM versions v JOIN projects p ON p.id = v.project_id
      JOIN artifacts a ON a.version_id = v.id AND a.queue_place = v.queue_place WHERE v.org = ? ORDER BY a.id DESC`,
  },
  {
    kind: 'deployed contract',
    section: 'deployments',
    exact: { address: 'i.address' },
    texts: ['title', 'detail'],
    rows: `SELECT a.name AS title, i.address AS detail, d.deployment_id AS first, ${NONE} FROM instances i
      JOIN artifacts a ON a.id = i.artifact_id JOIN deployments d ON d.id = i.deployment
      WHERE i.org = ? ORDER BY i.id DESC`,
  },
  {
    kind: 'deployment',
    section: 'deployments',
    texts: ['title'],
    rows: `SELECT deployment_id AS title, status AS detail, deployment_id AS first, ${NONE} FROM deployments
      WHERE org = ? ORDER BY id DESC`,
  },
  {
    kind: 'transaction',
    section: 'transactions',
    exact: { hash: 'hash' },
    texts: ['title', 'address'],
    rows: `SELECT hash AS title, subject_type AS detail, contract_address AS address, hash AS first, ${NONE}
      FROM transactions WHERE org = ? ORDER BY id DESC`,
  },
  {
    kind: 'audit record',
    section: 'audit',
    exact: { hash: 'transaction_hash' },
    texts: ['search', 'hash', 'title'],
    number: 'first',
    rows: `SELECT 'Audit record ' || id AS title, substr(search, 1, 80) AS detail, search, transaction_hash AS hash,
      id AS first, ${NONE} FROM audit_records WHERE org = ? ORDER BY id DESC`,
  },
  {
    kind: 'audit contract',
    section: 'audit',
    filter: 'contract',
    texts: ['title', 'detail'],
    rows: `SELECT name AS title, address AS detail, NULL AS first, NULL AS second, address AS filter
      FROM audit_contracts WHERE org = ? ORDER BY id DESC`,
  },
  ...(['category', 'tag'] as const).map((kind) => ({
    kind,
    section: 'audit',
    filter: kind,
    texts: ['title'],
    rows: `SELECT name AS title, 'audit records that carry it' AS detail, NULL AS first, NULL AS second, id AS filter
      FROM ${kind === 'category' ? 'audit_categories' : 'audit_tags'} WHERE org = ? ORDER BY id DESC`,
  })),
  {
    kind: 'certificate contract',
    section: 'certificates',
    exact: { address: 'address' },
    texts: ['title', 'name', 'symbol', 'detail'],
    rows: `SELECT nickname AS title, name, symbol, address AS detail, address AS first, ${NONE}
      FROM certificate_contracts WHERE org = ? AND address IS NOT NULL ORDER BY id DESC`,
  },
  {
    kind: 'certificate',
    section: 'certificates',
    exact: { hash: 't.transaction_hash', address: 't.to_wallet' },
    texts: ['search', 'hash'],
    number: 'second',
    rows: `SELECT k.name AS title, c.symbol || ' ' || t.token_id AS detail, k.search, t.transaction_hash AS hash,
      c.address AS first, t.token_id AS second, NULL AS filter FROM certificate_transactions t
      JOIN certificates k ON k.contract_id = t.contract_id AND k.token_id = t.token_id
      JOIN certificate_contracts c ON c.id = t.contract_id WHERE t.org = ? AND t.is_mint = 1 ORDER BY t.id DESC`,
  },
  {
    kind: 'wallet',
    section: 'wallets',
    exact: { address: 'address' },
    texts: ['detail', 'name'],
    rows: `SELECT CASE wallet_type WHEN 'organisation' THEN name ELSE 'Wallet of a person' END AS title,
      CASE wallet_type WHEN 'organisation' THEN name END AS name, address AS detail, address AS first, ${NONE}
      FROM wallets WHERE org = ? AND wallet_type <> 'system' ORDER BY id DESC`,
  },
  {
    kind: 'callback',
    section: 'requests/callbacks',
    texts: ['title', 'subject'],
    number: 'first',
    rows: `SELECT 'Callback ' || id AS title, state AS detail, subject, id AS first, ${NONE} FROM callbacks
      WHERE org = ? ORDER BY id DESC`,
  },
  {
    kind: 'API key',
    section: 'keys',
    texts: ['title', 'detail'],
    rows: `SELECT name AS title, client_id AS detail, NULL AS first, ${NONE} FROM api_keys WHERE org = ? ORDER BY id DESC`,
  },
];
