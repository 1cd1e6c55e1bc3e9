import { html } from './html.js';
import { Icon } from './icons.js';
import { useState } from './vendor/hooks.js';

/** Says something to whoever does not see the page. @param {string} text */
export function announce(text) {
  const place = document.getElementById('announcer');
  if (!place) return;
  place.textContent = '';
  // What stands there already is not said again.
  setTimeout(() => (place.textContent = text), 100);
}

/** A button that copies. @param {{ text: string, what: string }} props */
export function Copy({ text, what }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    if (!done && !copyBySelection(text)) return announce(`This browser lets nothing be copied: ${text}`);
    announce(`Copied ${what}.`);
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

/** Copies where browsers have no clipboard for pages: over plain HTTP. @param {string} text */
function copyBySelection(text) {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'hidden';
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}
