import { html } from './html.js';
import { Icon } from './icons.js';
import { useState } from './vendor/hooks.js';

/** @typedef {import('./vendor/preact.js').ComponentChildren} Children */

const GOOD = new Set([
  'success',
  'compiled',
  'deployed',
  'completed',
  'delivered',
  'intact',
  'active',
  '200',
]);
const BAD = new Set(['failed', 'error', 'compile_failed', 'given-up', 'altered', 'revoked']);

/** A state as a word with a colour and a mark. @param {{ of: string }} props */
export function Status({ of }) {
  const word = of.toLowerCase();
  const tone = GOOD.has(word) ? 'good' : BAD.has(word) ? 'bad' : 'wait';
  return html`<span class="status ${tone}">${word.replaceAll('_', ' ')}</span>`;
}

/** A time, told from now on; the exact one on demand. @param {{ at: string | null }} props */
export function Time({ at }) {
  if (!at) return html`<span class="faint">–</span>`;
  const date = new Date(at);
  return html`<time datetime=${at} title=${date.toLocaleString()}
    >${sinceText(Date.now() - date.getTime())}</time
  >`;
}

/** @param {number} ms */
function sinceText(ms) {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return ms < -60_000 ? 'ahead of this clock' : 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 36) return `${hours} h ago`;
  return `${Math.round(hours / 24)} days ago`;
}

/**
 * An address or hash: short, whole on demand, to be copied.
 *
 * @param {{ of: string | null, what: string, href?: string, whole?: boolean }} props
 */
export function Hash({ of, what, href, whole = false }) {
  if (!of) return html`<span class="faint">–</span>`;
  const text = whole || of.length <= 16 ? of : `${of.slice(0, 8)}…${of.slice(-6)}`;
  const code = html`<code title=${of}>${text}</code>`;
  return html`<span class=${text === of ? 'hash' : 'hash short'}
    >${href ? html`<a href=${href}>${code}</a>` : code}<${Copy} text=${of} what=${what}
  /></span>`;
}

/** A button that copies; absent where browsers forbid it. @param {{ text: string, what: string }} props */
export function Copy({ text, what }) {
  const [copied, setCopied] = useState(false);
  if (!navigator.clipboard) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return html`<button
    type="button"
    class="copy"
    aria-label=${`Copy ${what}`}
    title=${`Copy ${what}`}
    onClick=${copy}
  >
    <${Icon} of=${copied ? 'check' : 'copy'} />
  </button>`;
}

/** What went wrong, with its code and the next step. @param {{ of: Pick<import('./api.js').Problem, 'code' | 'message' | 'next'> | undefined }} props */
export function Trouble({ of }) {
  if (!of) return null;
  return html`<div class="trouble" role="alert">
    <p><code class="code">${of.code}</code> ${of.message}</p>
    <p class="next">${of.next}</p>
  </div>`;
}

/**
 * Stands above what a page asked for: that it is on its way, or why it did not come.
 *
 * @param {{ of: { data: unknown, problem: import('./api.js').Problem | undefined } }} props
 */
export function Progress({ of: { data, problem } }) {
  if (data === undefined && !problem) return html`<p class="loading" role="status">Loading …</p>`;
  return html`<${Trouble} of=${problem} />`;
}

/**
 * Nothing to show yet, and the command that changes that.
 *
 * @param {{ title: string, command?: string, children?: Children }} props
 */
export function Empty({ title, command, children }) {
  return html`<div class="empty">
    <p class="title">${title}</p>
    ${children && html`<p>${children}</p>`}
    ${
      command &&
      html`<p class="command"><code>${command}</code><${Copy} text=${command} what="the command" /></p>`
    }
  </div>`;
}

/**
 * The head of a page: its name, the way to it, what stands beside it.
 *
 * @param {{ title: Children, trail?: readonly [string, string][], children?: Children, about?: Children }} props
 */
export function Head({ title, trail = [], children, about }) {
  return html`<header class="head">
    ${
      trail.length > 0 &&
      html`<nav aria-label="Breadcrumb" class="trail">
        ${trail.map(([text, href], at) => html`${at > 0 && html`<span aria-hidden="true">${' / '}</span>`}<a href=${href}>${text}</a>`)}
      </nav>`
    }
    <div class="row">
      <h1>${title}</h1>
      ${children && html`<div class="beside">${children}</div>`}
    </div>
    ${about && html`<p class="about">${about}</p>`}
  </header>`;
}

/** Names with their values. @param {{ rows: readonly (readonly [string, Children])[] }} props */
export function Facts({ rows }) {
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** A part of a page. @param {{ title: string, children?: Children, beside?: Children }} props */
export function Card({ title, children, beside }) {
  return html`<section class="card">
    <div class="row">
      <h2>${title}</h2>
      ${beside && html`<div class="beside">${beside}</div>`}
    </div>
    ${children}
  </section>`;
}

/** A text that is read as code. @param {{ text: string, label: string }} props */
export function Code({ text, label }) {
  return html`<pre class="block" tabindex="0" role="region" aria-label=${label}><code>${text}</code></pre>`;
}
