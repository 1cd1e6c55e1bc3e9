import { to } from './hooks.js';
import { html } from './html.js';
import { Code, Facts, Hash, Status } from './parts.js';

/**
 * What the chain made of a transaction.
 *
 * @param {{ of: import('../../../protocol/shapes.js').Receipt, name?: string }} props
 */
export function Receipt({ of, name }) {
  const rows = [
    ['Outcome', html`<${Status} of=${of.status ? 'success' : 'failed'} />`],
    ['Block', of.blockNumber],
    ['Gas used', of.gasUsed.toLocaleString('en')],
    ['Events', of.logs.length],
    ['From', html`<${Hash} of=${of.from} what="the sender" />`],
    ['Contract', html`<${Hash} of=${of.contractAddress ?? of.to} what="the contract address" />`],
    [
      'Transaction',
      html`<${Hash}
        of=${of.transactionHash}
        what="the hash"
        href=${to(['transactions', of.transactionHash])}
      />`,
    ],
    ['Block hash', html`<${Hash} of=${of.blockHash} what="the block hash" />`],
  ];
  return html`<div class="receipt">
    <${Facts} rows=${rows} />
    <details>
      <summary>Receipt as JSON</summary>
      <${Code}
        text=${JSON.stringify(of, null, 2)}
        label=${name === undefined ? 'Receipt as JSON' : `Receipt of ${name} as JSON`}
      />
    </details>
  </div>`;
}
