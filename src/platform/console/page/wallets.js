import { ask } from './api.js';
import { Filter, listAddress } from './filter.js';
import { to, useAction, useData } from './hooks.js';
import { html } from './html.js';
import { Empty, Hash, Head, Status, Time, Trouble } from './parts.js';
import { List } from './table.js';
import { useState } from './vendor/hooks.js';

/** @typedef {import('../record-shapes.js').WalletItem} WalletItem */
/** @typedef {import('../record-shapes.js').WalletPerson} WalletPerson */

const TYPES = /** @type {const} */ ([
  ['organisation', 'of the organisation'],
  ['end_user', 'of people'],
]);

/** All wallets, names of people masked. @param {{ route: import('./hooks.js').Route }} props */
export function Wallets({ route }) {
  const [, address = ''] = route.parts;
  const query = new URLSearchParams(route.query);
  if (address !== '') query.set('address', address);
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<WalletItem>>} */
  const loaded = useData(listAddress('_platform/console/wallets', { ...route, query }));
  /** @type {readonly import('./table.js').Column<WalletItem>[]} */
  const columns = [
    { head: 'Name', cell: (row) => (row.masked ? html`<${Person} of=${row} />` : row.name) },
    { head: 'Address', cell: (row) => html`<${Hash} of=${row.address} what="the address" whole />` },
    { head: 'Of', cell: (row) => (row.type === 'end_user' ? 'person' : 'organisation') },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.is_active ? 'active' : 'inactive'} />` },
    { head: 'Sent', kind: 'number', cell: (row) => row.transactions },
    { head: 'Created', cell: (row) => html`<${Time} at=${row.created_at} />` },
  ];
  const empty = html`<${Empty} title="No wallet here." command="windlass platform wallet create NAME" />`;
  const about =
    'Custodial wallets. Names of people are hidden until you ask for one; national identity numbers stay hidden.';
  return html`<${Head}
      title="Wallets"
      about=${about}
      trail=${address === '' ? [] : [['All wallets', to(['wallets'])]]}
    >
      <${Filter} label="Which" name="type" route=${route} options=${TYPES} />
    <//>
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Wallets"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {WalletItem} */ row) => row.address}
    />`;
}

/** A person's name, hidden until it is asked for, and hidden again with the page. @param {{ of: WalletItem }} props */
function Person({ of }) {
  const [person, setPerson] = useState(/** @type {WalletPerson | undefined} */ (undefined));
  const reveal = useAction(async () => {
    setPerson(
      /** @type {WalletPerson} */ (await ask('POST', `_platform/console/wallets/${of.address}/reveal`, {})),
    );
  });
  if (!person) {
    return html`<span class="person">
      <span class="masked">${of.name}</span>
      <button type="button" class="quiet small" onClick=${reveal.run} aria-disabled=${reveal.busy}>
        Reveal<span class="hidden"> the person of ${of.address}</span>
      </button>
      <${Trouble} of=${reveal.problem} />
    </span>`;
  }
  return html`<span class="person">
    <span
      >${person.name}<br /><span class="faint"
        >${person.email}${person.phone ? ` · ${person.phone}` : ''}</span
      ></span
    >
    <button type="button" class="quiet small" onClick=${() => setPerson(undefined)}>
      Hide<span class="hidden"> the person of ${of.address}</span>
    </button>
  </span>`;
}
