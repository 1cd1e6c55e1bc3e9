import { ask } from './api.js';
import { Clock } from './clock.js';
import { FaultForm } from './fault-form.js';
import { useAction, useData } from './hooks.js';
import { html } from './html.js';
import { Card, Empty, Head, Progress, Time, Trouble } from './parts.js';
import { Table } from './table.js';

/**
 * @typedef {object} Rule
 * @property {string} name
 * @property {Record<string, string>} [request]
 * @property {Record<string, string>} [callback]
 * @property {Record<string, unknown>} [when]
 * @property {unknown} fault
 * @property {number} matched
 * @property {number} fired
 */
/** @typedef {{ seed: number | null, replaying: boolean, rules: readonly Rule[] }} State */
/** @typedef {{ seq: number, at: string, stream: string, nth: number, rule: string, fault: unknown }} Decision */

/** Faults on demand, and the clock. */
export function Faults() {
  /** @type {import('./hooks.js').Loaded<State>} */
  const { data, problem, reload } = useData('_platform/faults');
  const about = 'For testing what depends on this platform: what goes wrong, how often, and what time it is.';
  if (problem?.code === 'HTTP 404') {
    return html`<${Head} title="Faults and clock" about=${about} />
      <${Empty} title="This platform does not misbehave." command="windlass platform start">
        Faults and clock are there on loopback; a platform for others has them only when it is started so.
      <//>`;
  }
  return html`<${Head} title="Faults and clock" about=${about} />
    <${Progress} of=${{ data, problem }} />
    <${Clock} />
    ${data && html`<${Rules} state=${data} done=${reload} />`}
    <${Card} title="New fault"><${FaultForm} done=${reload} /><//>
    <${Log} done=${reload} />`;
}

/** @param {{ state: State, done: () => void }} props */
function Rules({ state, done }) {
  const clear = useAction(async () => {
    await ask('DELETE', '_platform/faults');
    done();
  });
  /** @type {readonly import('./table.js').Column<Rule>[]} */
  const columns = [
    { head: 'Rule', cell: (rule) => html`<code>${rule.name}</code>` },
    { head: 'Befalls', cell: (rule) => subjectOf(rule) },
    { head: 'How', cell: (rule) => html`<code>${textOf(rule.fault)}</code>` },
    { head: 'When', cell: (rule) => textOf(rule.when ?? 'always') },
    { head: 'Struck', kind: 'number', cell: (rule) => `${rule.fired} of ${rule.matched}` },
    { head: 'Remove', cell: (rule) => html`<${Remove} rule=${rule} done=${done} />` },
  ];
  const beside = html`<span class="faint">${state.seed === null ? '' : `seed ${state.seed}`}</span>
    <button type="button" onClick=${clear.run} aria-disabled=${clear.busy}>Clear all</button>`;
  const quiet = state.rules.length === 0 && !state.replaying;
  return html`<${Card} title="Faults" beside=${quiet ? undefined : beside}>
    <${Trouble} of=${clear.problem} />
    ${state.replaying && html`<p class="verdict unknown">A log is being replayed; rules come again when it is cleared.</p>`}
    ${
      state.rules.length === 0
        ? html`<p class="about">None: the platform behaves.</p>`
        : html`<${Table}
            caption="Faults"
            columns=${columns}
            rows=${state.rules}
            id=${(/** @type {Rule} */ rule) => rule.name}
          />`
    }
  <//>`;
}

/** @param {{ rule: Rule, done: () => void }} props */
function Remove({ rule, done }) {
  const remove = useAction(async () => {
    await ask('DELETE', `_platform/faults/${encodeURIComponent(rule.name)}`);
    done();
  });
  return html`<button type="button" onClick=${remove.run} aria-disabled=${remove.busy}>
    Remove<span class="hidden"> the rule ${rule.name}</span>
  </button>`;
}

/** @param {{ done: () => void }} props */
function Log({ done }) {
  /** @type {import('./hooks.js').Loaded<readonly Decision[]>} */
  const { data } = useData('_platform/faults/log');
  const replay = useAction(async () => {
    const decisions = (data ?? []).map(({ stream, nth, rule, fault }) => ({ stream, nth, rule, fault }));
    await ask('POST', '_platform/faults/replay', { decisions });
    done();
  });
  if (!data || data.length === 0) return null;
  /** @type {readonly import('./table.js').Column<Decision>[]} */
  const columns = [
    { head: 'When', cell: (one) => html`<${Time} at=${one.at} />` },
    { head: 'Of', cell: (one) => html`<code>${one.stream}</code>` },
    { head: 'Number', kind: 'number', cell: (one) => one.nth },
    { head: 'Rule', cell: (one) => html`<code>${one.rule}</code>` },
    {
      head: 'What happened',
      cell: (one) => (one.fault === null ? 'nothing' : html`<code>${textOf(one.fault)}</code>`),
    },
  ];
  const button = html`<button type="button" onClick=${replay.run} aria-disabled=${replay.busy}>
    Replay
  </button>`;
  return html`<${Card} title="What was decided" beside=${button}>
    <${Trouble} of=${replay.problem} />
    <${Table}
      caption="Decisions, newest first"
      columns=${columns}
      rows=${[...data].reverse().slice(0, 100)}
      id=${(/** @type {Decision} */ one) => one.seq}
    />
  <//>`;
}

/** @param {Rule} rule */
function subjectOf({ request, callback }) {
  const [what, match] = request ? ['requests', request] : ['callbacks', callback ?? {}];
  const parts = Object.entries(match).map(([name, value]) => `${name} ${value}`);
  return `${what}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

/** A value of a rule as people write it: `slow: 3s`. @param {unknown} value @returns {string} */
function textOf(value) {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${textOf(inner)}`)
    .join(', ');
}
