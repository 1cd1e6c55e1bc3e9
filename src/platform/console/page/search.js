import { announce } from './copy.js';
import { to, useData } from './hooks.js';
import { html } from './html.js';
import { Empty, Head, Progress } from './parts.js';
import { Table } from './table.js';
import { useEffect } from './vendor/hooks.js';

/** @typedef {import('../shapes.js').SearchHit} SearchHit */

/** What a text is part of. @param {{ route: import('./hooks.js').Route }} props */
export function Search({ route }) {
  const [, text = ''] = route.parts;
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').SearchResult>} */
  const { data, problem } = useData(`_platform/console/search?${new URLSearchParams({ q: text })}`, {
    once: true,
  });
  useEffect(() => {
    if (data) announce(`${data.items.length} found.`);
  }, [data]);
  /** @type {readonly import('./table.js').Column<SearchHit>[]} */
  const columns = [
    { head: 'Found', cell: (hit) => html`<a href=${to(hit.path, hit.query)}>${hit.title}</a>` },
    { head: 'Kind', cell: (hit) => hit.kind },
    { head: 'Detail', cell: (hit) => html`<code>${hit.detail}</code>` },
  ];
  return html`<${Head} title=${`Search: ${text}`} />
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      (data.items.length === 0
        ? html`<${Empty} title="Nothing found.">
            Looked for in names, versions, addresses, hashes, plan keys, attributes of certificates and the
            beginning of audit metadata; two characters at least, among the newest 10,000 of each kind. Names
            of people are not searched.
          <//>`
        : html`<${Table} caption="What was found" columns=${columns} rows=${data.items} />`)
    }
    ${
      data &&
      data.more.length > 0 &&
      html`<p class="about">There is more of: ${data.more.join(', ')}. Write more of what you look for.</p>`
    }`;
}
