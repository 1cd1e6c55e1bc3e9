import { to, useData } from './hooks.js';
import { html } from './html.js';
import { Empty, Facts, Head, Progress, Status, Time } from './parts.js';
import { List, Table } from './table.js';

/** @typedef {import('../shapes.js').ProjectItem} ProjectItem */
/** @typedef {import('../shapes.js').ListedVersion} ListedVersion */

/** All projects. @param {{ route: import('./hooks.js').Route }} props */
export function Projects({ route }) {
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<ProjectItem>>} */
  const loaded = useData(`_platform/console/projects?page=${route.query.get('page') ?? '1'}`);
  /** @type {readonly import('./table.js').Column<ProjectItem>[]} */
  const columns = [
    {
      head: 'Project',
      cell: (row) => html`<a href=${to(['projects', row.slug])}>${row.name}</a>`,
    },
    { head: 'Slug', cell: (row) => html`<code>${row.slug}</code>` },
    {
      head: 'Newest version',
      cell: (row) => row.newest ?? html`<span class="faint">none</span>`,
    },
    {
      head: 'Versions',
      kind: 'number',
      cell: (row) => row.versions,
    },
    { head: 'Last deployed', cell: (row) => html`<${Time} at=${row.deployed_at} />` },
  ];
  const empty = html`<${Empty} title="No project yet." command="windlass platform project create NAME">
    A project holds the versions of its contracts. <code>windlass apply</code> makes those that a plan names.
  <//>`;
  return html`<${Head}
      title="Projects"
      about="Contracts by project, with every version that was submitted."
    />
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Projects"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {ProjectItem} */ row) => row.slug}
    />`;
}

/** One project with its versions. @param {{ route: import('./hooks.js').Route }} props */
export function Project({ route }) {
  const [, slug = ''] = route.parts;
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ShownProject>} */
  const { data, problem } = useData(`_platform/console/projects/${encodeURIComponent(slug)}`);
  /** @type {readonly import('./table.js').Column<ListedVersion>[]} */
  const columns = [
    {
      head: 'Version',
      cell: (row) => html`<a href=${to(['projects', slug, row.slug])}>${row.version}</a>`,
    },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.status} />` },
    {
      head: 'Compiler',
      cell: (row) => html`<code>solc ${row.compiler_settings.solidity}</code>`,
    },
    {
      head: 'Optimizer',
      cell: (row) => (row.optimizer === null ? 'off' : `${row.optimizer} runs`),
    },
    { head: 'Submitted', cell: (row) => html`<${Time} at=${row.created_at} />` },
    { head: 'Last deployed', cell: (row) => html`<${Time} at=${row.last_deployed_at} />` },
  ];
  return html`<${Head}
      title=${data?.name ?? slug}
      trail=${[['Projects', '#/projects']]}
      about=${data?.description}
    />
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      html`<${Facts}
          rows=${[
            ['Slug', html`<code>${data.slug}</code>`],
            ['Created', html`<${Time} at=${data.created_at} />`],
          ]}
        />
        ${
          data.versions.length === 0
            ? html`<${Empty} title="No version yet." command="windlass apply">
                Name sources and a compiler below <code>projects.${slug}.versions</code> of a plan.
              <//>`
            : html`<${Table}
                caption="Versions"
                columns=${columns}
                rows=${data.versions}
                id=${(/** @type {ListedVersion} */ row) => row.slug}
              />`
        }`
    }`;
}
