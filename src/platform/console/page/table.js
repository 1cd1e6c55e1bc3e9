import { to } from './hooks.js';
import { html } from './html.js';
import { Empty, Trouble } from './parts.js';

/** @typedef {import('./vendor/preact.js').ComponentChildren} Children */

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} head
 * @property {(row: Row) => Children} cell
 * @property {'number'} [kind]
 */

/** Moves between the rows of a table by arrow keys, from a link or button to the next row's. @param {KeyboardEvent} event */
function walk(event) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const here = event.target instanceof Element ? event.target.closest('tr') : null;
  if (step === 0 || !here || event.target instanceof HTMLSelectElement) return;
  const next = step > 0 ? here.nextElementSibling : here.previousElementSibling;
  const target = next?.querySelector('a, button');
  if (!(target instanceof HTMLElement)) return;
  event.preventDefault();
  target.focus();
}

/**
 * Rows with the same columns. On a narrow page each row is a card that says its columns itself; roles are spelled out, for
 * there browsers forget that it is a table.
 *
 * @template Row
 * @param {{ caption: string, columns: readonly Column<Row>[], rows: readonly Row[], id?: (row: Row) => string | number }} props
 */
export function Table({ caption, columns, rows, id }) {
  return html`<div class="scroll">
    <table role="table" onKeyDown=${walk}>
      <caption class="hidden">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(({ head, kind }) => html`<th role="columnheader" scope="col" class=${kind ?? ''}>${head}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row, at) =>
            html`<tr role="row" key=${id ? id(row) : at}>
              ${columns.map(
                ({ head, cell, kind }) =>
                  html`<td role="cell" data-label=${head} class=${kind ?? ''}><div>${cell(row)}</div></td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/**
 * One page of a list that the platform keeps, with the way to the others.
 *
 * @template Row
 * @param {{
 *   loaded: import('./hooks.js').Loaded<import('../shapes.js').ListPage<Row>>, caption: string,
 *   columns: readonly Column<Row>[], empty: Children, route: import('./hooks.js').Route,
 *   id?: (row: Row) => string | number,
 * }} props
 */
export function List({ loaded, caption, columns, empty, route, id }) {
  const { data, problem } = loaded;
  if (!data)
    return problem
      ? html`<${Trouble} of=${problem} />`
      : html`<p class="loading" role="status">Loading …</p>`;
  return html`<${Trouble} of=${problem} />
    ${
      data.items.length === 0
        ? html`<${Nothing} data=${data} route=${route} otherwise=${empty} />`
        : html`<${Table} caption=${caption} columns=${columns} rows=${data.items} id=${id} />`
    }
    <${Pager} data=${data} route=${route} />`;
}

/**
 * Why a list shows nothing: its page is beyond the last one, a filter leaves nothing, or there is nothing yet.
 *
 * @param {{ data: { page: number }, route: import('./hooks.js').Route, otherwise: Children }} props
 */
export function Nothing({ data, route, otherwise }) {
  if (data.page > 1) {
    const first = to(route.parts, { ...Object.fromEntries(route.query), page: '' });
    return html`<${Empty} title="Nothing on this page."><a href=${first}>Go to the first page</a><//>`;
  }
  if (![...route.query].some(([name, value]) => name !== 'page' && value !== '')) return otherwise;
  return html`<${Empty} title="Nothing is like this."><a href=${to(route.parts)}>Show all</a><//>`;
}

/** The way to the other pages of a list. @param {{ data: { page: number, pages: number, total: number }, route: import('./hooks.js').Route }} props */
export function Pager({ data, route }) {
  const { page, pages, total } = data;
  if (pages <= 1 && page <= 1) return null;
  /** @param {number} number */
  const at = (number) => to(route.parts, { ...Object.fromEntries(route.query), page: String(number) });
  return html`<nav class="pager" aria-label="Pages">
    ${page > 1 ? html`<a class="button" href=${at(page - 1)}>Newer</a>` : html`<span></span>`}
    <span>Page ${page} of ${pages}, ${total} in all</span>
    ${page < pages ? html`<a class="button" href=${at(page + 1)}>Older</a>` : html`<span></span>`}
  </nav>`;
}
