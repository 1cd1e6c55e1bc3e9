import { to, useData } from './hooks.js';
import { html } from './html.js';
import { Empty, Head, Progress } from './parts.js';
import { Table } from './table.js';

/** @typedef {import('../shapes.js').SearchHit} SearchHit */

/** What a text is part of. @param {{ route: import('./hooks.js').Route }} props */
export function Search({ route }) {
  const [, text = ''] = route.parts;
  /** @type {import('./hooks.js').Loaded<readonly SearchHit[]>} */
  const { data, problem } = useData(`_platform/console/search?${new URLSearchParams({ q: text })}`);
  /** @type {readonly import('./table.js').Column<SearchHit>[]} */
  const columns = [
    { head: 'Found', cell: (hit) => html`<a href=${to(hit.path)}>${hit.title}</a>` },
    { head: 'Kind', cell: (hit) => hit.kind },
    { head: 'Detail', cell: (hit) => html`<code>${hit.detail}</code>` },
  ];
  return html`<${Head} title=${`Search: ${text}`} />
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      (data.length === 0
        ? html`<${Empty} title="Nothing found.">
            Names, slugs, addresses, hashes and metadata are searched for what holds this text; two characters
            at least.
          <//>`
        : html`<${Table} caption="What was found" columns=${columns} rows=${data} />`)
    }`;
}
