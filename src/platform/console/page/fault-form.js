import { ask } from './api.js';
import { useAction, valueOf } from './hooks.js';
import { html } from './html.js';
import { Trouble } from './parts.js';
import { useState } from './vendor/hooks.js';

/**
 * What may go wrong: its name, what people read, and the value it takes with an example.
 *
 * @type {Record<'request' | 'callback', readonly (readonly [kind: string, text: string, label?: string, value?: string])[]>}
 */
const FAULTS = {
  request: [
    ['status', 'server error, nothing done', 'Status', '500'],
    ['refuse', 'refused, nothing done', 'Status', '422'],
    ['too_many', 'too many requests', 'Wait', '1s'],
    ['slow', 'answered late', 'By', '3s'],
    ['drop_before_commit', 'connection lost, nothing done'],
    ['drop_after_commit', 'connection lost, although done'],
    ['cut_reply', 'reply cut in the middle'],
  ],
  callback: [
    ['lost', 'never sent'],
    ['late', 'sent late', 'By', '15m'],
    ['twice', 'sent twice'],
    ['reordered', 'sent after the next one'],
    ['forged', 'a false one before the true one'],
    ['wrong_shape', 'of a wrong shape'],
  ],
};

/** How often a rule strikes: what people read, and the number it takes with an example. */
const TIMES = /** @type {const} */ ([
  ['always', 'always', ''],
  ['first', 'the first …', '1'],
  ['nth', 'only number …', '3'],
  ['every', 'every …', '5'],
  ['chance', 'with a chance of …', '0.2'],
]);

/**
 * What stands in the form.
 *
 * @typedef {{ on: 'request' | 'callback', match: string, kind: string, value: string, time: string, count: string }} Form
 */

/** The rule that a form says. @param {Form} form */
function ruleOf({ on, match, kind, value, time, count }) {
  const matched = match.trim() === '' ? {} : { [on === 'request' ? 'operation' : 'of']: match.trim() };
  const fault = value === '' ? kind : { [kind]: /^\d+$/.test(value) ? Number(value) : value };
  return { [on]: matched, ...(time !== 'always' && { when: { [time]: Number(count) } }), fault };
}

/** Adds a rule. @param {{ done: () => void }} props */
export function FaultForm({ done }) {
  const first = { match: '', kind: 'status', value: '500', time: 'always', count: '' };
  const [form, setForm] = useState(/** @type {Form} */ ({ on: 'request', ...first }));
  const add = useAction(async () => {
    await ask('POST', '_platform/faults', { windlass_faults: 1, rules: [ruleOf(form)] });
    done();
  });
  /** @param {Partial<Form>} change */
  const set = (change) => setForm({ ...form, ...change });
  /** @param {Event} event */
  const befall = (event) => {
    const on = valueOf(event) === 'callback' ? 'callback' : 'request';
    const [kind = '', , , value = ''] = FAULTS[on][0] ?? [];
    set({ on, match: '', kind, value });
  };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    void add.run();
  };
  return html`<${Trouble} of=${add.problem} />
    <form class="line" onSubmit=${submit} method="dialog">
      <${Choice}
        label="Befalls"
        value=${form.on}
        choose=${befall}
        options=${[
          ['request', 'requests'],
          ['callback', 'callbacks'],
        ]}
      />
      <${Field}
        label=${form.on === 'request' ? 'Operation' : 'Of'}
        value=${form.match}
        set=${(/** @type {string} */ match) => set({ match })}
        hint=${form.on === 'request' ? 'all, or certificate.*' : 'all, or deployment'}
        optional
      />
      <${Kind} form=${form} set=${set} />
      <${Times} form=${form} set=${set} />
      <button class="primary" aria-disabled=${add.busy}>Add fault</button>
    </form>`;
}

/** @param {{ form: Form, set: (change: Partial<Form>) => void }} props */
function Kind({ form, set }) {
  const [, , label] = FAULTS[form.on].find(([kind]) => kind === form.kind) ?? [];
  /** @param {Event} event */
  const choose = (event) => {
    const kind = valueOf(event);
    const [, , , value = ''] = FAULTS[form.on].find(([name]) => name === kind) ?? [];
    set({ kind, value });
  };
  return html`<${Choice} label="How" value=${form.kind} choose=${choose} options=${FAULTS[form.on]} /> ${
      label &&
      html`<${Field}
        label=${label}
        value=${form.value}
        set=${(/** @type {string} */ value) => set({ value })}
        hint=""
      />`
    }`;
}

/** @param {{ form: Form, set: (change: Partial<Form>) => void }} props */
function Times({ form, set }) {
  /** @param {Event} event */
  const choose = (event) => {
    const [time, , count] = TIMES.find(([name]) => name === valueOf(event)) ?? TIMES[0];
    set({ time, count });
  };
  return html`<${Choice} label="When" value=${form.time} choose=${choose} options=${TIMES} /> ${
      form.time !== 'always' &&
      html`<${Field}
        label="Number"
        value=${form.count}
        set=${(/** @type {string} */ count) => set({ count })}
        hint=""
      />`
    }`;
}

/**
 * @param {{
 *   label: string, value: string, choose: (event: Event) => void,
 *   options: readonly (readonly [value: string, text: string, ...rest: unknown[]])[],
 * }} props
 */
function Choice({ label, value, choose, options }) {
  return html`<label>
    <span>${label}</span>
    <select value=${value} onChange=${choose}>
      ${options.map(([name, text]) => html`<option value=${name} selected=${name === value}>${text}</option>`)}
    </select>
  </label>`;
}

/** @param {{ label: string, value: string, set: (value: string) => void, hint: string, optional?: boolean }} props */
function Field({ label, value, set, hint, optional = false }) {
  return html`<label>
    <span>${label}</span>
    <input
      value=${value}
      required=${!optional}
      placeholder=${hint}
      autocomplete="off"
      spellcheck=${false}
      onInput=${(/** @type {Event} */ event) => set(valueOf(event))}
    />
  </label>`;
}
