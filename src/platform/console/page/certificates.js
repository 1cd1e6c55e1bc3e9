import { fileAddress } from './api.js';
import { Filter, listAddress, STANDINGS } from './filter.js';
import { to, useData, valueOf } from './hooks.js';
import { html } from './html.js';
import { Card, Empty, Facts, Hash, Head, planKeyFact, Progress, Prose, Status, Time } from './parts.js';
import { Nothing, Pager, Table } from './table.js';

/** @typedef {import('../record-shapes.js').CertificateItem} CertificateItem */
/** @typedef {import('../record-shapes.js').CertificateContract} CertificateContract */

const NONE = html`<${Empty}
  title="No certificate here."
  command="windlass init diplomas --template certificates"
>
  A plan mints a batch from a CSV file below <code>certificates.batches</code>.
<//>`;

/** Certificates as pictures, of all contracts or of one. @param {{ route: import('./hooks.js').Route }} props */
export function Certificates({ route }) {
  const [, contract = ''] = route.parts;
  const query = new URLSearchParams(route.query);
  if (contract !== '') query.set('contract', contract);
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<CertificateItem>>} */
  const { data, problem } = useData(listAddress('_platform/console/certificates', { ...route, query }));
  /** @type {import('./hooks.js').Loaded<readonly CertificateContract[]>} */
  const contracts = useData('_platform/console/certificate-contracts');
  const shown = contracts.data?.find(({ address }) => address.toLowerCase() === contract.toLowerCase());
  return html`<${Head} title="Certificates" about="Tokens with their picture and what they say.">
      <${Filter} label="Status" name="status" route=${route} options=${STANDINGS} />
      ${contracts.data && html`<${Choice} contracts=${contracts.data} chosen=${shown?.address ?? ''} />`}
    <//>
    <${Progress} of=${{ data, problem }} />
    ${shown && html`<${ContractFacts} of=${shown} />`}
    ${
      data &&
      html`${
          data.items.length === 0
            ? html`<${Nothing} data=${data} route=${route} otherwise=${NONE} />`
            : html`<ul class="gallery">
                ${data.items.map((item) => html`<${Tile} key=${`${item.contract_address}${item.token_id}`} of=${item} />`)}
              </ul>`
        } <${Pager} data=${data} route=${route} />`
    }`;
}

/** @param {{ contracts: readonly CertificateContract[], chosen: string }} props */
function Choice({ contracts, chosen }) {
  /** @param {Event} event */
  const choose = (event) => {
    const address = valueOf(event);
    location.hash = to(address === '' ? ['certificates'] : ['certificates', address]);
  };
  return html`<label class="choice">
    <span>Contract</span>
    <select value=${chosen} onChange=${choose}>
      <option value="" selected=${chosen === ''}>all</option>
      ${contracts.map(
        ({ address, nickname }) =>
          html`<option value=${address} selected=${address === chosen}>${nickname}</option>`,
      )}
    </select>
  </label>`;
}

/** @param {{ of: CertificateContract }} props */
function ContractFacts({ of }) {
  const limit = of.max_supply === 0 ? 'no limit' : `of ${of.max_supply}`;
  return html`<${Facts}
    rows=${[
      ['Name', `${of.name} (${of.symbol})`],
      ['Address', html`<${Hash} of=${of.address} what="the contract address" whole />`],
      ['Minted', `${of.minted} ${limit}`],
    ]}
  />`;
}

/** @param {{ of: CertificateItem }} props */
function Tile({ of }) {
  const name = of.name || `Token ${of.token_id}`;
  return html`<li>
    <a href=${to(['certificates', of.contract_address, of.token_id])}>
      <${Picture} path=${of.picture} alt="" />
      <span class="name">${name}</span>
      <span class="under"><span>${of.symbol} ${of.token_id}</span><${Status} of=${of.status} /></span>
    </a>
  </li>`;
}

/** @param {{ path: string | null, alt: string }} props */
function Picture({ path, alt }) {
  if (path === null) return html`<span class="picture none">no picture</span>`;
  return html`<img class="picture" src=${fileAddress(path)} alt=${alt} loading="lazy" />`;
}

/** One certificate. @param {{ route: import('./hooks.js').Route }} props */
export function Certificate({ route }) {
  const [, contract = '', token = ''] = route.parts;
  const path = `_platform/console/certificates/${encodeURIComponent(contract)}/${encodeURIComponent(token)}`;
  /** @type {import('./hooks.js').Loaded<import('../record-shapes.js').ShownCertificate>} */
  const { data, problem } = useData(path);
  /** @type {readonly [string, string][]} */
  const trail = [
    ['Certificates', '#/certificates'],
    [data?.contract ?? contract, to(['certificates', contract])],
  ];
  return html`<${Head} title=${data?.name || `Token ${token}`} trail=${trail}>
      ${data && html`<${Status} of=${data.status} />`}
    <//>
    <${Progress} of=${{ data, problem }} />
    ${data && html`<${Whole} of=${data} />`}`;
}

/** @param {{ of: import('../record-shapes.js').ShownCertificate }} props */
function Whole({ of }) {
  const attributes = of.attributes.map(({ trait_type: type, trait, value }) => [
    said(type ?? trait),
    html`<${Prose} text=${said(value)} />`,
  ]);
  /** @type {readonly import('./table.js').Column<import('../record-shapes.js').CertificateMove>[]} */
  const columns = [
    { head: 'Move', cell: (move) => move.kind },
    { head: 'To', cell: (move) => html`<${Hash} of=${move.to} what="the receiver" />` },
    { head: 'Status', cell: (move) => html`<${Status} of=${move.status} />` },
    {
      head: 'Transaction',
      cell: (move) =>
        html`<${Hash}
          of=${move.transaction_hash}
          what="the hash"
          href=${to(['transactions', move.transaction_hash ?? ''])}
        />`,
    },
    { head: 'Requested', cell: (move) => html`<${Time} at=${move.created_at} />` },
  ];
  return html`<div class="certificate">
      <div><${Picture} path=${of.picture} alt=${`Picture of ${of.name}`} /></div>
      <div>
        <div class="description"><${Prose} text=${of.description} /></div>
        <${Facts}
          rows=${[
            ...attributes,
            ['Owner', html`<${Hash} of=${of.owner} what="the owner" />`],
            ['Token', `${of.symbol} ${of.token_id}`],
            ...planKeyFact(of.plan_key),
            [
              'Files',
              html`<a href=${fileAddress(of.document)}>metadata</a>${', '}<a href=${fileAddress(of.image)}
                  >picture</a
                >`,
            ],
          ]}
        />
      </div>
    </div>
    <${Card} title="History"
      ><${Table} caption="Mint and transfers" columns=${columns} rows=${of.moves}
    /><//>`;
}

/** @param {unknown} value */
function said(value) {
  return typeof value === 'string' ? value || '–' : JSON.stringify(value ?? '');
}
