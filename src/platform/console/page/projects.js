import { to, useData } from './hooks.js';
import { html } from './html.js';
import { Filter, listAddress } from './filter.js';
import { Code, Empty, Facts, Head, Progress, Status, Tabs, Time } from './parts.js';
import { List, Table } from './table.js';

/** @typedef {import('../shapes.js').ProjectItem} ProjectItem */
/** @typedef {import('../shapes.js').ListedVersion} ListedVersion */

/** @typedef {import('../shapes.js').VersionListItem} VersionListItem */

const TABS = /** @type {const} */ ([
  ['Projects', '#/projects'],
  ['Versions', '#/versions'],
]);

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
      cell: (row) =>
        row.newest === null
          ? html`<span class="faint">none</span>`
          : html`${row.newest} <${Status} of=${row.newest_status ?? ''} />`,
    },
    {
      head: 'Versions',
      kind: 'number',
      cell: (row) =>
        row.failed === 0
          ? row.versions
          : html`${row.versions}, <span class="failing">${row.failed} failed</span>`,
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
    <${Tabs} label="Projects or versions" tabs=${TABS} current="#/projects" />
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Projects"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {ProjectItem} */ row) => row.slug}
    />`;
}

const STATUSES = /** @type {const} */ ([
  ['compile_queued', 'compile queued'],
  ['compile_failed', 'compile failed'],
  ['compiled', 'compiled'],
  ['deployed', 'deployed'],
]);

/** The versions of all projects. @param {{ route: import('./hooks.js').Route }} props */
export function Versions({ route }) {
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<VersionListItem>>} */
  const loaded = useData(listAddress('_platform/console/versions', route));
  /** @type {readonly import('./table.js').Column<VersionListItem>[]} */
  const columns = [
    {
      head: 'Version',
      cell: (row) =>
        html`<a href=${to(['projects', row.project, row.slug])}>${row.project} ${row.version}</a>`,
    },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.status} />` },
    { head: 'Latest error', cell: (row) => html`<${ErrorText} of=${row} />` },
    { head: 'Submitted', cell: (row) => html`<${Time} at=${row.created_at} />` },
    { head: 'Last deployed', cell: (row) => html`<${Time} at=${row.last_deployed_at} />` },
  ];
  const empty = html`<${Empty} title="No version yet." command="windlass apply">
    Name sources and a compiler below <code>projects</code> of a plan.
  <//>`;
  return html`<${Head} title="Versions" about="Every version of every project, and how it compiled.">
      <${Filter} label="Status" name="status" route=${route} options=${STATUSES} />
    <//>
    <${Tabs} label="Projects or versions" tabs=${TABS} current="#/versions" />
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Versions"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {VersionListItem} */ row) => `${row.project} ${row.slug}`}
    />`;
}

/** Lines of an error that a list shows without being asked. */
const FIRST_LINES = 6;

/** What a version's error says, line by line; a long one's rest on demand. @param {{ of: VersionListItem }} props */
function ErrorText({ of }) {
  if (of.latest_error === '') return html`<span class="faint">–</span>`;
  const lines = of.latest_error.trimEnd().split('\n');
  const name = `Error of ${of.project} ${of.version}`;
  if (lines.length <= FIRST_LINES) return html`<${Code} text=${lines.join('\n')} label=${name} />`;
  return html`<${Code} text=${lines.slice(0, FIRST_LINES).join('\n')} label=${name} />
    <a href=${to(['projects', of.project, of.slug])}
      >Whole error<span class="hidden"> of ${of.project} ${of.version}</span></a
    >`;
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
            ['Created', html`<${Time} at=${data.created_at} whole />`],
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
