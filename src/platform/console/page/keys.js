import { Copy } from './copy.js';
import { ask } from './api.js';
import { useAction, useData, valueOf } from './hooks.js';
import { html } from './html.js';
import { Card, Hash, Head, Progress, Time, Trouble } from './parts.js';
import { Table } from './table.js';
import { useState } from './vendor/hooks.js';

/** @typedef {import('../shapes.js').KeyItem} KeyItem */
/** @typedef {{ client_id: string, client_secret: string }} Pair */

/** API keys: what there is, a new one, and taking one away. */
export function Keys() {
  /** @type {import('./hooks.js').Loaded<readonly KeyItem[]>} */
  const { data, problem, reload } = useData('_platform/console/keys');
  /** @type {readonly import('./table.js').Column<KeyItem>[]} */
  const columns = [
    { head: 'Name', cell: (row) => row.name },
    { head: 'Client id', cell: (row) => html`<${Hash} of=${row.client_id} what="the client id" />` },
    { head: 'Created', cell: (row) => html`<${Time} at=${row.created_at} />` },
    { head: 'Revoke', cell: (row) => html`<${Revoke} of=${row} done=${reload} />` },
  ];
  return html`<${Head}
      title="API keys"
      about="Whoever has a key can do everything that this organisation can."
    />
    <${Progress} of=${{ data, problem }} />
    <${Make} done=${reload} />
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

/** @param {{ done: () => void }} props */
function Make({ done }) {
  const [name, setName] = useState('');
  const [pair, setPair] = useState(/** @type {Pair | undefined} */ (undefined));
  const make = useAction(async () => {
    setPair(/** @type {Pair} */ (await ask('POST', '_platform/keys', { name })));
    setName('');
    done();
  });
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    void make.run();
  };
  return html`<${Card} title="New key">
    <${Trouble} of=${make.problem} />
    ${
      pair
        ? html`<div class="secret" role="status">
            <p><strong>Keep the secret now: it is not shown again.</strong></p>
            ${Object.entries(pair).map(
              ([part, value]) =>
                html`<p>
                  <span class="faint">${part}</span> <code>${value}</code>
                  <${Copy} text=${value} what=${part} />
                </p>`,
            )}
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
            <button class="primary" aria-disabled=${make.busy}>Make key</button>
          </form>`
    }
  <//>`;
}

/** @param {{ of: KeyItem, done: () => void }} props */
function Revoke({ of, done }) {
  const [asking, setAsking] = useState(false);
  const revoke = useAction(async () => {
    await ask('DELETE', `_platform/keys/${of.id}`);
    done();
  });
  if (of.held === 'session') return html`<span class="faint">you are signed in with it</span>`;
  if (of.held === 'development') return html`<span class="faint">belongs to this folder</span>`;
  if (!asking) {
    return html`<button type="button" class="danger" onClick=${() => setAsking(true)}>
      Revoke<span class="hidden"> the key ${of.name}</span>
    </button>`;
  }
  return html`<span class="sure" role="group" aria-label=${`Revoke the key ${of.name}?`}>
    <button type="button" class="danger" onClick=${revoke.run} aria-disabled=${revoke.busy}>
      Yes, revoke
    </button>
    <button type="button" class="quiet" onClick=${() => setAsking(false)}>Keep</button>
    <${Trouble} of=${revoke.problem} />
  </span>`;
}
