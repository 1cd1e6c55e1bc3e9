import { html } from './html.js';
import { Table } from './table.js';

/** @typedef {{ name?: string, type: string, indexed?: boolean, components?: readonly Input[] }} Input */
/** @typedef {{ type: string, name?: string, inputs?: readonly Input[], outputs?: readonly Input[], stateMutability?: string }} Entry */

const ORDER = ['constructor', 'function', 'event', 'error', 'receive', 'fallback'];

/** The interface of a contract, one entry a row. @param {{ abi: readonly Entry[] }} props */
export function AbiTable({ abi }) {
  const rows = [...abi].sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
  /** @type {readonly import('./table.js').Column<Entry>[]} */
  const columns = [
    { head: 'Kind', cell: (entry) => html`<span class="kind">${entry.type}</span>` },
    { head: 'Name', cell: (entry) => html`<code>${entry.name ?? entry.type}</code>` },
    { head: 'Takes', cell: (entry) => html`<${Inputs} of=${entry.inputs ?? []} />` },
    { head: 'Gives', cell: (entry) => html`<${Inputs} of=${entry.outputs ?? []} />` },
    {
      head: 'Mutability',
      cell: (entry) => entry.stateMutability ?? html`<span class="faint">–</span>`,
    },
  ];
  return html`<${Table} caption="Interface of the contract" columns=${columns} rows=${rows} />`;
}

/** @param {{ of: readonly Input[] }} props */
function Inputs({ of }) {
  if (of.length === 0) return html`<span class="faint">–</span>`;
  return html`<ul class="inputs">
    ${of.map(
      (input) =>
        html`<li>
          <code>${typeOf(input)}</code>${input.indexed ? ' indexed' : ''}${input.name ? ` ${input.name}` : ''}
        </li>`,
    )}
  </ul>`;
}

/** A type as Solidity writes it, tuples with their members. @param {Input} input @returns {string} */
function typeOf({ type, components }) {
  if (!components) return type;
  return type.replace('tuple', `(${components.map((one) => typeOf(one)).join(', ')})`);
}
