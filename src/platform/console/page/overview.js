import { to, useData } from './hooks.js';
import { html } from './html.js';
import { Card, Empty, Facts, Hash, Head, Progress, Status, Time } from './parts.js';
import { Table } from './table.js';

/** What counts on the front page: its name, its section, and what needs a person in it. */
const TILES = /** @type {const} */ ([
  ['projects', 'Projects', '#/projects'],
  ['contracts', 'Deployed contracts', '#/contracts?status=success'],
  ['audit_records', 'Audit records', '#/audit'],
  ['certificates', 'Certificates', '#/certificates?status=success'],
  ['wallets', 'Wallets', '#/wallets'],
  ['transactions', 'Transactions', '#/transactions'],
]);

/** Things that somebody should look at, or that are under way: said of one, and of several. */
const NOTES = /** @type {const} */ ([
  [
    'versions_failed',
    'bad',
    ['version did', 'versions did'],
    'not compile',
    '#/versions?status=compile_failed',
  ],
  ['deployments_failed', 'bad', ['deployment', 'deployments'], 'failed', '#/deployments?status=Error'],
  ['transactions_failed', 'bad', ['transaction', 'transactions'], 'failed', '#/transactions?status=failed'],
  [
    'callbacks_given_up',
    'bad',
    ['callback was', 'callbacks were'],
    'given up',
    '#/requests/callbacks?state=given-up',
  ],
  [
    'callbacks_waiting',
    'wait',
    ['callback waits', 'callbacks wait'],
    'for an acknowledgement',
    '#/requests/callbacks?state=pending',
  ],
  [
    'versions_queued',
    'wait',
    ['version waits', 'versions wait'],
    'for the compiler',
    '#/versions?status=compile_queued',
  ],
  [
    'transactions_pending',
    'wait',
    ['transaction waits', 'transactions wait'],
    'for the chain',
    '#/transactions?status=pending',
  ],
]);

/** @typedef {import('../shapes.js').Counts} Counts */
/** @typedef {import('../shapes.js').TransactionItem} TransactionItem */

/** The front page. @param {{ session: import('../shapes.js').Session }} props */
export function Overview({ session }) {
  /** @type {import('./hooks.js').Loaded<Counts>} */
  const { data, problem } = useData('_platform/console/overview');
  return html`<${Head} title="Overview" about="What this organisation has on the platform, as of now." />
    <${Progress} of=${{ data, problem }} />
    ${data && html`<${Tiles} data=${data} /><${Notes} data=${data} />`}
    <div class="pair">
      ${data && html`<${Begin} data=${data} />`}
      <${Latest} />
      <${Card} title="This platform">
        <${Facts}
          rows=${[
            ['API', html`<${Hash} of=${session.api_url} what="the API address" whole />`],
            ['JSON-RPC', html`<${Hash} of=${session.rpc_url} what="the JSON-RPC address" whole />`],
            ['Chain', String(session.chain_id)],
            ['Block', data ? String(data.block) : '…'],
            ['Genesis', html`<${Hash} of=${session.genesis} what="the hash of the first block" />`],
            ['Platform', html`<code>${session.id}</code>`],
            ['Capabilities', session.capabilities.join(', ') || 'core interface only'],
            ['Reference', html`<a href="../docs">API reference</a>`],
          ]}
        />
      <//>
    </div>`;
}

/** @param {{ data: Counts }} props */
function Tiles({ data }) {
  return html`<ul class="tiles">
    ${TILES.map(
      ([key, name, href]) =>
        html`<li>
          <a href=${href}><strong>${data[key]}</strong><span>${name}</span></a>
        </li>`,
    )}
  </ul>`;
}

/** @param {{ data: Counts }} props */
function Notes({ data }) {
  const notes = NOTES.filter(([key]) => (data[key] ?? 0) > 0);
  if (notes.length === 0) return null;
  return html`<ul class="notes" aria-label="To look at">
    ${notes.map(
      ([key, tone, [one, several], text, href]) =>
        html`<li>
          <a class=${tone} href=${href}>${data[key]} ${data[key] === 1 ? one : several} ${text}</a>
        </li>`,
    )}
  </ul>`;
}

/** @param {{ data: Counts }} props */
function Begin({ data }) {
  if (['projects', 'audit_records', 'certificates'].some((key) => (data[key] ?? 0) > 0)) return null;
  return html`<${Card} title="Begin here">
    <${Empty}
      title="Nothing was released yet."
      command="windlass init my-release && cd my-release && windlass apply"
    >
      A plan in Git says what should exist; this makes one that works, and applies it to the platform of its
      folder.
    <//>
  <//>`;
}

/** The newest transactions. */
function Latest() {
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<TransactionItem>>} */
  const { data } = useData('_platform/console/transactions');
  if (!data || data.items.length === 0) return null;
  /** @type {readonly import('./table.js').Column<TransactionItem>[]} */
  const columns = [
    {
      head: 'Transaction',
      cell: (row) => html`<a href=${to(['transactions', row.hash])}>${row.about.text}</a>`,
    },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.status} />` },
    { head: 'Accepted', cell: (row) => html`<${Time} at=${row.created_at} />` },
  ];
  const all = html`<a href="#/transactions">All</a>`;
  return html`<${Card} title="Latest transactions" beside=${all}>
    <${Table} caption="Latest transactions" columns=${columns} rows=${data.items.slice(0, 6)} />
  <//>`;
}
