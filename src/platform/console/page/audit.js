import { ask } from './api.js';
import { Filter, listAddress, STANDINGS } from './filter.js';
import { to, useAction, useData } from './hooks.js';
import { html } from './html.js';
import {
  Card,
  Code,
  Empty,
  Facts,
  Hash,
  Head,
  planKeyFact,
  Progress,
  Status,
  Time,
  Trouble,
} from './parts.js';
import { List } from './table.js';
import { useState } from './vendor/hooks.js';

/** @typedef {import('../record-shapes.js').AuditItem} AuditItem */
/** @typedef {import('../record-shapes.js').AuditVerdict} AuditVerdict */

/** All audit records. @param {{ route: import('./hooks.js').Route }} props */
export function Audit({ route }) {
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<AuditItem>>} */
  const loaded = useData(listAddress('_platform/console/audit', route));
  /** @type {readonly import('./table.js').Column<AuditItem>[]} */
  const columns = [
    { head: 'Record', cell: (row) => html`<a href=${to(['audit', row.id])}>${row.id}</a>` },
    { head: 'Metadata', cell: (row) => html`<code class="cut">${row.metadata}</code>` },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.status} />` },
    { head: 'Contract', cell: (row) => row.contract },
    { head: 'Author', cell: (row) => html`<${Hash} of=${row.from} what="the author" />` },
    { head: 'On the chain', cell: (row) => html`<${Time} at=${row.mined_at} />` },
  ];
  /** @type {import('./hooks.js').Loaded<import('../record-shapes.js').AuditFilters>} */
  const { data: filters } = useData('_platform/console/audit-filters');
  /** @param {readonly { id: number, name: string }[] | undefined} labels @returns {readonly [string, string][]} */
  const named = (labels) => (labels ?? []).map(({ id, name }) => [String(id), name]);
  const choices = /** @type {const} */ ([
    ['Contract', 'contract', (filters?.contracts ?? []).map(({ name, address }) => [address, name])],
    ['Category', 'category', named(filters?.categories)],
    ['Tag', 'tag', named(filters?.tags)],
  ]);
  const empty = html`<${Empty} title="No audit record here." command="windlass apply">
    A plan names them below <code>audit.records</code>.
  <//>`;
  return html`<${Head} title="Audit" about="Records whose hash is on the chain. Open one to verify it.">
      ${choices.map(
        ([label, name, options]) =>
          (options.length > 1 || route.query.has(name)) &&
          html`<${Filter} label=${label} name=${name} route=${route} options=${options} />`,
      )}
      <${Filter} label="Status" name="status" route=${route} options=${STANDINGS} />
    <//>
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Audit records"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {AuditItem} */ row) => row.id}
    />`;
}

/** One record, with its verification. @param {{ route: import('./hooks.js').Route }} props */
export function AuditRecord({ route }) {
  const [, id = ''] = route.parts;
  /** @type {import('./hooks.js').Loaded<import('../record-shapes.js').ShownAudit>} */
  const { data, problem } = useData(`_platform/console/audit/${encodeURIComponent(id)}`);
  return html`<${Head} title=${`Audit record ${id}`} trail=${[['Audit', '#/audit']]}>
      ${data && html`<${Status} of=${data.status} />`}
    <//>
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      html`<${Facts}
          rows=${[
            [
              'Contract',
              html`<a href=${to(['audit'], { contract: data.contract_address })}>${data.contract}</a>`,
            ],
            ['Contract address', html`<${Hash} of=${data.contract_address} what="the contract address" />`],
            ['Author', html`<${Hash} of=${data.from} what="the author" />`],
            ['On the chain', html`<${Time} at=${data.mined_at} whole />`],
            ['Kept on the chain', data.encrypted ? 'the digest only' : 'digest and metadata'],
            ['Categories', data.categories.join(', ') || html`<span class="faint">none</span>`],
            ['Tags', data.tags.join(', ') || html`<span class="faint">none</span>`],
            ...planKeyFact(data.plan_key),
            [
              'Transaction',
              html`<${Hash}
                of=${data.transaction_hash}
                what="the hash"
                href=${to(['transactions', data.transaction_hash ?? ''])}
              />`,
            ],
          ]}
        />
        <${Verify} id=${id} key=${data.metadata} />
        <${Card} title="Metadata">
          ${
            data.content
              ? html`<${Code} text=${contentText(data.content.of)} label="Metadata" wrap />
                  <details>
                    <summary>As it was written, with digest and plan key</summary>
                    <${Code} text=${data.metadata} label="Metadata as it was written" wrap />
                  </details>`
              : html`<${Code} text=${readable(data.metadata)} label="Metadata" wrap />`
          }
        <//>`
    }`;
}

/** What an author wrote: a text as it is, anything else as JSON. @param {import('../../../model/json.js').Json} content */
function contentText(content) {
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2);
}

/** JSON with its members in lines; anything else as it is. @param {string} text */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const VERDICTS = {
  intact: 'Intact: the record is what was written.',
  altered: 'Altered: the record is not what was written.',
  unknown: 'Not everything could be compared.',
};

/** @param {{ id: string }} props */
function Verify({ id }) {
  const [result, setResult] = useState(/** @type {AuditVerdict | undefined} */ (undefined));
  const { busy, problem, run } = useAction(async () => {
    setResult(undefined);
    const path = `_platform/console/audit/${encodeURIComponent(id)}/verify`;
    setResult(/** @type {AuditVerdict} */ (await ask('POST', path, {})));
  });
  const button = html`<button type="button" class="primary" onClick=${run} aria-disabled=${busy}>
    ${busy ? 'Comparing …' : 'Verify'}
  </button>`;
  return html`<${Card} title="Verification" beside=${button}>
    <${Trouble} of=${problem} />
    <div role="status">
      ${
        result
          ? html`<p class="verdict ${result.verdict}">${VERDICTS[result.verdict]}</p>
              <ul class="checks">
                ${result.checks.map((check) => html`<${Check} of=${check} />`)}
              </ul>`
          : html`<p class="about">
              Recomputes hash and digest of the metadata and compares them with record and chain.
            </p>`
      }
    </div>
  <//>`;
}

const MARKS = { match: '✓', mismatch: '✗', unknown: '?' };

/** @param {{ of: import('../record-shapes.js').AuditCheck }} props */
function Check({ of }) {
  return html`<li class=${of.outcome}>
    <span class="mark" aria-hidden="true">${MARKS[of.outcome]}</span>
    <div>
      <p><strong>${of.name}</strong> <span class="hidden">${of.outcome}:</span> ${of.text}</p>
      ${of.recorded && html`<p class="pairing">recorded <code>${of.recorded}</code></p>`}
      ${of.recomputed && html`<p class="pairing">recomputed <code>${of.recomputed}</code></p>`}
    </div>
  </li>`;
}
