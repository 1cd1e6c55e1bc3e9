import { Filter, listAddress, STANDINGS } from './filter.js';
import { to, useData } from './hooks.js';
import { html } from './html.js';
import { AboutLink, Card, Empty, Facts, Hash, Head, Progress, Status, Time } from './parts.js';
import { Receipt } from './receipt.js';
import { List } from './table.js';

/** @typedef {import('../shapes.js').TransactionItem} TransactionItem */

/** What transactions are for, in words. @type {Record<string, string | undefined>} */
const KINDS = {
  instance: 'deployment',
  execution: 'contract call',
  'audit-contract': 'audit contract',
  'audit-record': 'audit record',
  'certificate-contract': 'certificate contract',
  certificate: 'mint or transfer',
  'certificate-owner': 'change of owner',
  external: 'by JSON-RPC',
  filler: 'nonce freed',
  funding: 'gas payment',
};

/** All transactions. @param {{ route: import('./hooks.js').Route }} props */
export function Transactions({ route }) {
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<TransactionItem>>} */
  const loaded = useData(listAddress('_platform/console/transactions', route));
  /** @type {readonly import('./table.js').Column<TransactionItem>[]} */
  const columns = [
    {
      head: 'Transaction',
      cell: (row) => html`<${Hash} of=${row.hash} what="the hash" href=${to(['transactions', row.hash])} />`,
    },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.status} />` },
    { head: 'For', cell: (row) => html`<${AboutLink} of=${row.about} />` },
    { head: 'From', cell: (row) => html`<${Hash} of=${row.from} what="the sender" />` },
    { head: 'Nonce', kind: 'number', cell: (row) => row.nonce },
    { head: 'Block', kind: 'number', cell: (row) => row.block ?? html`<span class="faint">–</span>` },
    { head: 'Accepted', cell: (row) => html`<${Time} at=${row.created_at} />` },
  ];
  const kinds = Object.entries(KINDS);
  const empty = html`<${Empty} title="No transaction here." command="windlass apply">
    Deployments, audit records and certificates are transactions of custodial wallets.
  <//>`;
  return html`<${Head}
      title="Transactions"
      about="Everything that requests of this organisation sent to the chain."
    >
      <${Filter} label="For" name="kind" route=${route} options=${kinds} />
      <${Filter} label="Status" name="status" route=${route} options=${STANDINGS} />
    <//>
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Transactions"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {TransactionItem} */ row) => row.hash}
    />`;
}

/** One transaction with its receipt. @param {{ route: import('./hooks.js').Route }} props */
export function Transaction({ route }) {
  const [, hash = ''] = route.parts;
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ShownTransaction>} */
  const { data, problem } = useData(`_platform/console/transactions/${encodeURIComponent(hash)}`);
  return html`<${Head} title="Transaction" trail=${[['Transactions', '#/transactions']]}>
      ${data && html`<${Status} of=${data.status} />`}
    <//>
    <p class="about below"><${Hash} of=${hash} what="the hash" whole /></p>
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      html`${data.message !== '' && html`<p class="complaint told">${data.message}</p>`}
        <${Facts}
          rows=${[
            ['For', html`<${AboutLink} of=${data.about} />`],
            ['From', html`<${Hash} of=${data.from} what="the sender" whole />`],
            ['To', html`<${Hash} of=${data.to ?? data.contract_address} what="the receiver" whole />`],
            ['Nonce', data.nonce],
            ['Signed', data.custodial ? 'by the platform' : 'by its sender'],
            ['Accepted', html`<${Time} at=${data.created_at} whole />`],
            ['Callback to', data.callback ?? html`<span class="faint">nobody</span>`],
          ]}
        />
        <${Card} title="Receipt">
          ${data.receipt ? html`<${Receipt} of=${data.receipt} />` : html`<p class="faint">None yet.</p>`}
        <//>`
    }`;
}
