import { Copy } from './copy.js';
import { html, visible } from './html.js';
import { to, useNow } from './hooks.js';
import { useEffect } from './vendor/hooks.js';

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
const BAD = new Set(['failed', 'error', 'compile_failed', 'given-up', 'altered', 'revoked', 'expired']);

/** A state as a word with a colour and a mark. @param {{ of: string }} props */
export function Status({ of }) {
  const word = of.toLowerCase();
  const tone = GOOD.has(word) ? 'good' : BAD.has(word) ? 'bad' : 'wait';
  return html`<span class="status ${tone}">${word.replaceAll('_', ' ')}</span>`;
}

/** A time as it is written down, to the second. @param {string} at ISO 8601, UTC */
export function exactTime(at) {
  return `${at.slice(0, 19).replace('T', ' ')} UTC`;
}

/**
 * A time, told from now on, and kept true; the exact one beside it, or on demand. The clock of a platform may be ahead of
 * this browser's: only what is to come, as `due` says, is told as coming.
 *
 * @param {{ at: string | null, whole?: boolean, due?: boolean }} props
 */
export function Time({ at, whole = false, due = false }) {
  const now = useNow(10_000);
  if (!at) return html`<span class="faint">–</span>`;
  const ms = now - new Date(at).getTime();
  const since = ms < -60_000 && !due ? exactTime(at) : sinceText(ms);
  const exact = exactTime(at);
  if (whole && since !== exact)
    return html`<time datetime=${at}>${exact}</time> <span class="faint">(${since})</span>`;
  return html`<time datetime=${at} title=${exact}>${since}</time>`;
}

/** @param {number} ms */
function sinceText(ms) {
  const length = lengthText(Math.abs(ms));
  if (length === '') return ms < -5000 ? 'in less than a minute' : 'just now';
  return ms < 0 ? `in ${length}` : `${length} ago`;
}

/** @param {number} ms */
function lengthText(ms) {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return '';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 36 ? `${hours} h` : `${Math.round(hours / 24)} days`;
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

/** What went wrong, with its code and the next step. @param {{ of: Pick<import('./api.js').Problem, 'code' | 'message' | 'next'> | undefined }} props */
export function Trouble({ of }) {
  if (!of) return null;
  return html`<div class="trouble" role="alert">
    <p class="told"><code class="code">${of.code}</code> ${of.message}</p>
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
  useEffect(() => {
    if (typeof title === 'string') document.title = `${visible(title)} · Windlass`;
  }, [title]);
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

/**
 * Pages of one section beside each other.
 *
 * @param {{ label: string, tabs: readonly (readonly [string, string])[], current: string }} props
 */
export function Tabs({ label, tabs, current }) {
  return html`<nav class="tabs" aria-label=${label}>
    ${tabs.map(([name, href]) => html`<a href=${href} aria-current=${href === current ? 'page' : undefined}>${name}</a>`)}
  </nav>`;
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

/** Characters of a text that are shown at once. */
const SHORT = 600;

/** A text of whatever length: the rest of a long one on demand. @param {{ text: string }} props */
export function Prose({ text }) {
  if (text.length <= SHORT) return html`<span class="told">${text}</span>`;
  const first = text.slice(0, SHORT).replace(/[\uD800-\uDBFF]$/, '');
  return html`<span class="told">${first}…</span>
    <details>
      <summary>All ${text.length.toLocaleString('en')} characters</summary>
      <${Code} text=${text} label="The whole text" wrap />
    </details>`;
}

/** A link to what something is about; words alone where that has no page. @param {{ of: import('../subjects.js').About }} props */
export function AboutLink({ of }) {
  return of.path.length === 0 ? html`${of.text}` : html`<a href=${to(of.path, of.query)}>${of.text}</a>`;
}

/**
 * The key of the plan's step as a fact: none, or one.
 *
 * @param {string | null} key
 * @returns {readonly (readonly [string, Children])[]}
 */
export function planKeyFact(key) {
  if (key === null) return [];
  return [
    [
      'Plan key',
      html`<${Hash} of=${key} what="the plan key" whole /><br /><span class="faint"
          >by which Windlass finds it again</span
        >`,
    ],
  ];
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

/** A text that is read as code; what people wrote breaks its lines. @param {{ text: string, label: string, wrap?: boolean }} props */
export function Code({ text, label, wrap = false }) {
  return html`<pre
    class=${wrap ? 'block wrap' : 'block'}
    tabindex="0"
    role="region"
    aria-label=${label}
  ><code>${text}</code></pre>`;
}
