import { announce, Copy } from './copy.js';
import { ask } from './api.js';
import { useAction, useData, useNow, valueOf } from './hooks.js';
import { html } from './html.js';
import { Card, Hash, Head, Progress, Status, Time, Trouble } from './parts.js';
import { Table } from './table.js';
import { useEffect, useRef, useState } from './vendor/hooks.js';

/** @typedef {import('../shapes.js').KeyItem} KeyItem */
/** @typedef {{ client_id: string, client_secret: string }} Pair */

/** @typedef {import('../shapes.js').Session} Session */

/** What keys are made for: the scopes of each, and what people read. */
const USES = /** @type {const} */ ([
  ['read,write', 'read and write: releases'],
  ['read', 'read only: plans, drift'],
  ['read,write,operate', 'everything, keys too'],
]);

const LIVES = /** @type {const} */ ([
  ['', 'never'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
]);

/** API keys: what there is, a new one, and taking one away. @param {{ session: Session }} props */
export function Keys({ session }) {
  const operates = session.scopes.includes('operate');
  /** @type {import('./hooks.js').Loaded<readonly KeyItem[]>} */
  const { data, problem, reload } = useData('_platform/console/keys');
  /** @type {readonly import('./table.js').Column<KeyItem>[]} */
  const columns = [
    { head: 'Name', cell: (row) => row.name },
    { head: 'Client id', cell: (row) => html`<${Hash} of=${row.client_id} what="the client id" />` },
    { head: 'May', cell: (row) => row.scopes.join(', ') },
    { head: 'Created', cell: (row) => html`<${Time} at=${row.created_at} />` },
    { head: 'Last used', cell: (row) => html`<${Used} at=${row.last_used_at} />` },
    { head: 'Ends', cell: (row) => html`<${Ends} of=${row} />` },
    ...(operates
      ? [
          {
            head: 'Revoke',
            cell: (/** @type {KeyItem} */ row) => html`<${Revoke} of=${row} done=${reload} />`,
          },
        ]
      : []),
  ];
  return html`<${Head}
      title="API keys"
      about="Whoever has a key can do what its scopes say, as this organisation, until it ends."
    />
    <${Progress} of=${{ data, problem }} />
    ${
      operates
        ? html`<${Make} session=${session} done=${reload} />`
        : html`<p class="faint">
            The key that signed you in makes and revokes no keys: it lacks the scope operate.
          </p>`
    }
    ${
      data &&
      html`<${Table}
        caption="API keys"
        columns=${columns}
        rows=${data}
        id=${(/** @type {KeyItem} */ row) => row.id}
      />`
    }`;
}

/** When a key was last used: recorded by the hour, and told so. @param {{ at: string | null }} props */
function Used({ at }) {
  const now = useNow(60_000);
  if (at === null) return html`<span class="faint">not yet</span>`;
  const isThisHour = now - new Date(at).getTime() < 3_600_000;
  return isThisHour ? html`<time datetime=${at}>this hour</time>` : html`<${Time} at=${at} />`;
}

/** When a key ends; one that has ended, by the platform's clock, is marked. @param {{ of: KeyItem }} props */
function Ends({ of }) {
  if (of.expires_at === null) return html`<span class="faint">never</span>`;
  return html`${of.expired && html`<${Status} of="expired" />`} <${Time} at=${of.expires_at} due />`;
}

/** @param {{ session: Session, done: () => void }} props */
function Make({ session, done }) {
  const [name, setName] = useState('');
  const uses = USES.filter(([scopes]) => scopes.split(',').every((one) => session.scopes.includes(one)));
  const [scopes, setScopes] = useState(/** @type {string} */ (uses[0]?.[0] ?? 'read'));
  const [expires, setExpires] = useState('');
  const [pair, setPair] = useState(/** @type {Pair | undefined} */ (undefined));
  const make = useAction(async () => {
    setPair(/** @type {Pair} */ (await ask('POST', '_platform/keys', { name, scopes, expires })));
    setName('');
    announce('The key is made. Keep the secret now: it is not shown again.');
    done();
  });
  const shown = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (pair) shown.current?.focus();
  }, [pair]);
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    void make.run();
  };
  return html`<${Card} title="New key">
    <${Trouble} of=${make.problem} />
    ${
      pair
        ? html`<div class="secret" role="group" aria-label="The new key" tabindex="-1" ref=${shown}>
            <p><strong>Keep the secret now: it is not shown again.</strong></p>
            ${
              /** @type {const} */ (['client_id', 'client_secret']).map(
                (part) =>
                  html`<p>
                    <span class="faint">${part}</span> <code>${pair[part]}</code>
                    <${Copy} text=${pair[part]} what=${part} />
                  </p>`,
              )
            }
            <button type="button" onClick=${() => setPair(undefined)}>Done</button>
          </div>`
        : html`<form class="line" onSubmit=${submit} method="dialog">
            <label>
              <span>Name</span>
              <input
                name="name"
                value=${name}
                required
                maxlength="255"
                autocomplete="off"
                placeholder="who uses it, for instance: ci"
                onInput=${(/** @type {Event} */ event) => setName(valueOf(event))}
              />
            </label>
            <${Choice} label="May" value=${scopes} set=${setScopes} options=${uses} />
            <${Choice} label="Ends" value=${expires} set=${setExpires} options=${LIVES} />
            <button class="primary" aria-disabled=${make.busy}>Make key</button>
          </form>`
    }
  <//>`;
}

/**
 * @param {{
 *   label: string, value: string, set: (value: string) => void,
 *   options: readonly (readonly [value: string, text: string])[],
 * }} props
 */
function Choice({ label, value, set, options }) {
  return html`<label>
    <span>${label}</span>
    <select value=${value} onChange=${(/** @type {Event} */ event) => set(valueOf(event))}>
      ${options.map(([name, text]) => html`<option value=${name} selected=${name === value}>${text}</option>`)}
    </select>
  </label>`;
}

/** @param {{ of: KeyItem, done: () => void }} props */
function Revoke({ of, done }) {
  const [asking, setAsking] = useState(false);
  const revoke = useAction(async () => {
    await ask('DELETE', `_platform/keys/${of.id}`);
    announce(`The key ${of.name} is revoked.`);
    // Its row goes away, and the focus with it.
    document.querySelector('main')?.focus();
    done();
  });
  const first = useRef(/** @type {HTMLElement | null} */ (null));
  const seen = useRef(false);
  useEffect(() => {
    // Not at first: nobody asked for it then.
    if (seen.current) first.current?.focus();
    seen.current = true;
  }, [asking]);
  if (of.held === 'session') return html`<span class="faint">you are signed in with it</span>`;
  if (of.held === 'development') return html`<span class="faint">belongs to this folder</span>`;
  if (!asking) {
    return html`<button type="button" class="danger" ref=${first} onClick=${() => setAsking(true)}>
      Revoke<span class="hidden"> the key ${of.name}</span>
    </button>`;
  }
  return html`<span class="sure" role="group" aria-label=${`Revoke the key ${of.name}?`}>
    <button type="button" class="danger" onClick=${revoke.run} aria-disabled=${revoke.busy}>
      Yes, revoke
    </button>
    <button type="button" class="quiet" ref=${first} onClick=${() => setAsking(false)}>Keep</button>
    <${Trouble} of=${revoke.problem} />
  </span>`;
}
