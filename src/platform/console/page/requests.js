import { ask } from './api.js';
import { Filter, listAddress } from './filter.js';
import { to, useAction, useData } from './hooks.js';
import { html } from './html.js';
import { Code, Empty, Facts, Head, Progress, Status, Time, Trouble } from './parts.js';
import { List, Table } from './table.js';
import { useState } from './vendor/hooks.js';

/** @typedef {import('../shapes.js').RequestItem} RequestItem */
/** @typedef {import('../../delivery/callback-item.js').CallbackItem} CallbackItem */

/** @param {{ current: 'requests' | 'callbacks', children?: import('./vendor/preact.js').ComponentChildren }} props */
function Tabs({ current, children }) {
  const about = 'What was asked of the service, and what it told those who asked.';
  return html`<${Head} title="Requests and callbacks" about=${about}>${children}<//>
    <nav class="tabs" aria-label="Requests or callbacks">
      <a href="#/requests" aria-current=${current === 'requests' ? 'page' : undefined}>Requests</a>
      <a href="#/requests/callbacks" aria-current=${current === 'callbacks' ? 'page' : undefined}
        >Callbacks</a
      >
    </nav>`;
}

/** The newest requests. */
export function Requests() {
  /** @type {import('./hooks.js').Loaded<readonly RequestItem[]>} */
  const { data, problem } = useData('_platform/console/requests');
  const [refused, setRefused] = useState(false);
  /** @type {readonly import('./table.js').Column<RequestItem>[]} */
  const columns = [
    { head: 'When', cell: (row) => html`<${Time} at=${row.at} />` },
    { head: 'Request', cell: (row) => html`<code><b>${row.method}</b> ${row.path}</code>` },
    { head: 'Answer', cell: (row) => html`<${Answer} of=${row} />` },
    { head: 'Took', kind: 'number', cell: (row) => `${row.ms} ms` },
  ];
  const rows = (data ?? []).filter(({ status }) => !refused || status >= 400);
  return html`<${Tabs} current="requests">
      <label class="choice">
        <input
          type="checkbox"
          checked=${refused}
          onChange=${(/** @type {Event} */ event) => setRefused(event.target instanceof HTMLInputElement && event.target.checked)}
        />
        <span>Refused only</span>
      </label>
    <//>
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      (rows.length === 0
        ? html`<${Empty} title="No request here." command="windlass plan">
            The newest 300 are remembered until the platform stops, without headers, queries and bodies.
          <//>`
        : html`<${Table}
            caption="Requests"
            columns=${columns}
            rows=${rows}
            id=${(/** @type {RequestItem} */ row) => row.id}
          />`)
    }`;
}

/** @param {{ of: RequestItem }} props */
function Answer({ of }) {
  const tone = of.status < 400 ? 'good' : of.status < 500 ? 'wait' : 'bad';
  return html`<span><span class="status ${tone}">${of.status}</span> ${of.message}</span>`;
}

const STATES = /** @type {const} */ ([
  ['pending', 'pending'],
  ['delivered', 'delivered'],
  ['given-up', 'given up'],
]);

/** All callbacks, or one. @param {{ route: import('./hooks.js').Route }} props */
export function Callbacks({ route }) {
  return route.parts.length > 2
    ? html`<${Callback} route=${route} />`
    : html`<${CallbackList} route=${route} />`;
}

/** @param {{ route: import('./hooks.js').Route }} props */
function CallbackList({ route }) {
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<CallbackItem>>} */
  const loaded = useData(listAddress('_platform/console/callbacks', route));
  /** @type {readonly import('./table.js').Column<CallbackItem>[]} */
  const columns = [
    { head: 'Callback', cell: (row) => html`<a href=${to(['requests', 'callbacks', row.id])}>${row.id}</a>` },
    { head: 'Of', cell: (row) => html`<${Subject} of=${row.subject} />` },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.state} />` },
    { head: 'To', cell: (row) => html`<code class="origin">${row.origin}</code>` },
    { head: 'Attempts', kind: 'number', cell: (row) => row.attempts },
    { head: 'Last answer', cell: (row) => row.last_result || html`<span class="faint">–</span>` },
    { head: 'Created', cell: (row) => html`<${Time} at=${row.created_at} />` },
    { head: 'Send again', cell: (row) => html`<${Resend} id=${row.id} done=${loaded.reload} />` },
  ];
  const empty = html`<${Empty} title="No callback here." command="windlass apply">
    A request with a <code>callback_url</code> is told here how it ended.
  <//>`;
  return html`<${Tabs} current="callbacks"
      ><${Filter} label="Status" name="state" route=${route} options=${STATES}
    /><//>
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Callbacks"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {CallbackItem} */ row) => row.id}
    />`;
}

/** @param {{ route: import('./hooks.js').Route }} props */
function Callback({ route }) {
  const id = Number(route.parts[2]);
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ShownCallback>} */
  const { data, problem, reload } = useData(
    `_platform/console/callbacks/${encodeURIComponent(route.parts[2] ?? '')}`,
  );
  return html`<${Head} title=${`Callback ${route.parts[2]}`} trail=${[['Callbacks', '#/requests/callbacks']]}>
      ${data && html`<${Status} of=${data.state} /><${Resend} id=${id} done=${reload} />`}
    <//>
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      html`<${Facts}
          rows=${[
            ['Of', html`<${Subject} of=${data.subject} />`],
            ['To', html`<code>${data.origin}</code>`],
            ['Attempts', data.attempts],
            ['Last answer', data.last_result || html`<span class="faint">none</span>`],
            ['Created', html`<${Time} at=${data.created_at} />`],
            [
              'Goes out next',
              data.due_at ? html`<${Time} at=${data.due_at} />` : html`<span class="faint">not again</span>`,
            ],
          ]}
        />
        <h2>What it carries</h2>
        <${Code} text=${JSON.stringify(data.body, null, 2)} label="Body of the callback" />`
    }`;
}

/** Where what a callback tells of is shown, for what has a page under its own id. @type {Record<string, string | undefined>} */
const SECTIONS = { deployment: 'deployments', 'audit-record': 'audit' };

/** What a callback tells of: a word, and an id that is left as it is. @param {{ of: string }} props */
function Subject({ of }) {
  const [, word = of, id = ''] = /^(\S+) (.*)$/.exec(of) ?? [];
  const section = SECTIONS[word];
  const text = `${word.replaceAll('-', ' ')} ${id}`;
  return section === undefined ? html`${text}` : html`<a href=${to([section, id])}>${text}</a>`;
}

/** @param {{ id: number, done: () => void }} props */
function Resend({ id, done }) {
  const resend = useAction(async () => {
    await ask('POST', `_platform/callbacks/${id}/resend`, {});
    done();
  });
  return html`<span>
    <button type="button" onClick=${resend.run} disabled=${resend.busy}>
      Resend<span class="hidden"> callback ${id}</span>
    </button>
    <${Trouble} of=${resend.problem} />
  </span>`;
}
