import { ask } from './api.js';
import { useAction, useData, valueOf } from './hooks.js';
import { html } from './html.js';
import { Card, Progress, Trouble } from './parts.js';
import { useState } from './vendor/hooks.js';

/** @typedef {{ now: string, ahead_ms: number, frozen: boolean }} State */

/** The platform's clock, to be stopped and advanced. Only the operator's organisation has it. */
export function Clock() {
  /** @type {import('./hooks.js').Loaded<State>} */
  const { data, problem, reload } = useData('_platform/clock');
  const [by, setBy] = useState('15m');
  const set = useAction(async (/** @type {Record<string, unknown>} */ change) => {
    await ask('POST', '_platform/clock', change);
    reload();
  });
  if (problem?.code === 'HTTP 404') return null;
  if (!data) return html`<${Progress} of=${{ data, problem }} />`;
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    void set.run({ advance: by });
  };
  const beside = data.frozen
    ? html`<button type="button" onClick=${() => set.run({ resume: true })} aria-disabled=${set.busy}>
        Let it run
      </button>`
    : html`<button type="button" onClick=${() => set.run({ freeze: true })} aria-disabled=${set.busy}>
        Freeze
      </button>`;
  return html`<${Card} title="Clock" beside=${beside}>
    <${Trouble} of=${set.problem} />
    <p class="clock">
      <time datetime=${data.now}>${data.now.slice(0, 19).replace('T', ' ')} UTC</time>
      <span class="status ${data.frozen ? 'wait' : 'good'}">${data.frozen ? 'frozen' : 'running'}</span>
      ${data.ahead_ms > 500 && html`<span class="faint">${aheadText(data.ahead_ms)} ahead</span>`}
    </p>
    <form class="line" onSubmit=${submit} method="dialog">
      <label>
        <span>Advance by (90s, 15m, 2h, 1d); it never goes back</span>
        <input
          value=${by}
          required
          autocomplete="off"
          onInput=${(/** @type {Event} */ event) => setBy(valueOf(event))}
        />
      </label>
      <button aria-disabled=${set.busy}>Advance</button>
    </form>
  <//>`;
}

/** @param {number} ms */
function aheadText(ms) {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} days`;
}
