import { ask } from './api.js';
import { Filter, listAddress } from './filter.js';
import { to, useAction, useData } from './hooks.js';
import { html } from './html.js';
import {
  AboutLink,
  Code,
  Empty,
  exactTime,
  Facts,
  Head,
  Progress,
  Status,
  Tabs,
  Time,
  Trouble,
} from './parts.js';
import { List, Nothing, Table } from './table.js';
import { useState } from './vendor/hooks.js';

/** @typedef {import('../shapes.js').RequestItem} RequestItem */
/** @typedef {import('../shapes.js').ListedCallback} ListedCallback */

const TABS = /** @type {const} */ ([
  ['Requests', '#/requests'],
  ['Callbacks', '#/requests/callbacks'],
]);

/** @param {{ title: string, current: string, children?: import('./vendor/preact.js').ComponentChildren }} props */
function Top({ title, current, children }) {
  const about = 'What was asked of the service, and what it told those who asked.';
  return html`<${Head} title=${title} about=${about}>${children}<//>
    <${Tabs} label="Requests or callbacks" tabs=${TABS} current=${current} />`;
}

/** Requests that are shown at once. */
const SHOWN = 50;

/** The newest requests. @param {{ route: import('./hooks.js').Route }} props */
export function Requests({ route }) {
  /** @type {import('./hooks.js').Loaded<readonly RequestItem[]>} */
  const { data, problem } = useData('_platform/console/requests');
  const [all, setAll] = useState(false);
  /** @type {readonly import('./table.js').Column<RequestItem>[]} */
  const columns = [
    { head: 'When', cell: (row) => html`<${Time} at=${row.at} />` },
    { head: 'Request', cell: (row) => html`<code><b>${row.method}</b> ${row.path}</code>` },
    { head: 'Answer', cell: (row) => html`<${Answer} of=${row} />` },
    { head: 'Took', kind: 'number', cell: (row) => `${row.ms} ms` },
  ];
  const refused = route.query.get('answer') === 'refused';
  const rows = (data ?? []).filter(({ status }) => !refused || status >= 400);
  const empty = html`<${Empty} title="No request here." command="windlass plan">
    The newest 300 are remembered until the platform stops, without headers, queries and bodies.
  <//>`;
  return html`<${Top} title="Requests" current="#/requests">
      <${Filter} label="Answer" name="answer" route=${route} options=${[['refused', 'refused']]} />
    <//>
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      (rows.length === 0
        ? html`<${Nothing} data=${{ page: 1 }} route=${route} otherwise=${empty} />`
        : html`<${Table}
            caption="Requests"
            columns=${columns}
            rows=${all ? rows : rows.slice(0, SHOWN)}
            id=${(/** @type {RequestItem} */ row) => row.id}
          />`)
    }
    ${
      !all &&
      rows.length > SHOWN &&
      html`<div class="pager">
        <span>The newest ${SHOWN} of ${rows.length}</span>
        <button type="button" onClick=${() => setAll(true)}>Show all ${rows.length}</button>
      </div>`
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
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<ListedCallback>>} */
  const loaded = useData(listAddress('_platform/console/callbacks', route));
  const [outcome, setOutcome] = useState(/** @type {Outcome | undefined} */ (undefined));
  /** @param {Outcome} told */
  const done = (told) => {
    setOutcome(told);
    loaded.reload();
  };
  /** @type {readonly import('./table.js').Column<ListedCallback>[]} */
  const columns = [
    { head: 'Callback', cell: (row) => html`<a href=${to(['requests', 'callbacks', row.id])}>${row.id}</a>` },
    { head: 'Tells of', cell: (row) => html`<${AboutLink} of=${row.about} />` },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.state} />` },
    { head: 'To', cell: (row) => html`<code class="origin">${row.origin}</code>` },
    { head: 'Sent', kind: 'number', cell: (row) => timesText(row.attempts) },
    { head: 'Last answer', cell: (row) => row.last_result || html`<span class="faint">–</span>` },
    { head: 'Created', cell: (row) => html`<${Time} at=${row.created_at} />` },
    { head: 'Send again', cell: (row) => html`<${Resend} id=${row.id} done=${done} />` },
  ];
  const empty = html`<${Empty} title="No callback here." command="windlass apply">
    A request with a <code>callback_url</code> is told here how it ended.
  <//>`;
  return html`<${Top} title="Callbacks" current="#/requests/callbacks"
      ><${Filter} label="Status" name="state" route=${route} options=${STATES}
    /><//>
    <${Told} of=${outcome} />
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Callbacks"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {ListedCallback} */ row) => row.id}
    />`;
}

/** @param {{ route: import('./hooks.js').Route }} props */
function Callback({ route }) {
  const id = Number(route.parts[2]);
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ShownCallback>} */
  const { data, problem, reload } = useData(
    `_platform/console/callbacks/${encodeURIComponent(route.parts[2] ?? '')}`,
  );
  const [outcome, setOutcome] = useState(/** @type {Outcome | undefined} */ (undefined));
  /** @param {Outcome} told */
  const done = (told) => {
    setOutcome(told);
    reload();
  };
  return html`<${Head} title=${`Callback ${route.parts[2]}`} trail=${[['Callbacks', '#/requests/callbacks']]}>
      ${data && html`<${Status} of=${data.state} /><${Resend} id=${id} done=${done} />`}
    <//>
    <${Told} of=${outcome} />
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      html`<${Facts}
          rows=${[
            ['Tells of', html`<${AboutLink} of=${data.about} />`],
            ['To', html`<code>${data.origin}</code>`],
            ['Sent', timesText(data.attempts)],
            ['Last answer', data.last_result || html`<span class="faint">none</span>`],
            ['Last sent', html`<${Time} at=${data.last_at} whole />`],
            ['Created', html`<${Time} at=${data.created_at} whole />`],
            [
              'Goes out next',
              data.due_at
                ? html`<${Time} at=${data.due_at} whole due />`
                : html`<span class="faint">not again</span>`,
            ],
          ]}
        />
        <h2>What it carries</h2>
        <${Code} text=${JSON.stringify(data.body, null, 2)} label="Body of the callback" />`
    }`;
}

/** @param {number} attempts */
function timesText(attempts) {
  return attempts === 0 ? 'not yet' : attempts === 1 ? 'once' : `${attempts} times`;
}

/** @typedef {import('../../delivery/callback-item.js').ResentCallback} ResentCallback */
/** @typedef {{ readonly good: boolean, readonly text: string }} Outcome */

/** What sending again did. @param {ResentCallback} callback @returns {Outcome} */
function outcomeOf({ id, origin, sent, attempts, state, last_result: answer, last_at: at, due_at: due }) {
  const next =
    due === null ? 'It does not go out again by itself.' : `It goes out again at ${exactTime(due)}.`;
  const good = state === 'delivered';
  if (!sent) {
    const why = answer === '' ? 'its turn did not come yet' : answer;
    return { good: false, text: `Callback ${id} was not sent yet: ${why}. ${good ? '' : next}` };
  }
  const when = at === null ? '' : ` at ${exactTime(at)}`;
  const number = `sending ${attempts}`;
  return good
    ? {
        good,
        text: `Callback ${id} was sent to ${origin}${when} (${number}) and acknowledged with ${answer}.`,
      }
    : {
        good,
        text: `Callback ${id} was sent to ${origin}${when} (${number}), but not acknowledged: ${answer}. ${next}`,
      };
}

/** What sending again did, for as long as the page is open. @param {{ of: Outcome | undefined }} props */
function Told({ of }) {
  return html`<p class="outcome ${of?.good ? 'good' : 'bad'}" role="status">${of?.text ?? ''}</p>`;
}

/** So long a button stays still after it was used: whoever clicks twice means once. */
const STILL = 1000;

/** @param {{ id: number, done: (told: Outcome) => void }} props */
function Resend({ id, done }) {
  const resend = useAction(async () => {
    const answer = /** @type {ResentCallback} */ (await ask('POST', `_platform/callbacks/${id}/resend`, {}));
    done(outcomeOf(answer));
    await new Promise((resolve) => setTimeout(resolve, STILL));
  });
  return html`<span>
    <button type="button" onClick=${resend.run} aria-disabled=${resend.busy}>
      ${resend.busy ? 'Sending …' : 'Resend'}<span class="hidden"> callback ${id}</span>
    </button>
    <${Trouble} of=${resend.problem} />
  </span>`;
}
