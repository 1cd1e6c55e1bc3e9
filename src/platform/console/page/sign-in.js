import { Copy } from './copy.js';
import { ask } from './api.js';
import { useAction, valueOf } from './hooks.js';
import { html } from './html.js';
import { Trouble } from './parts.js';
import { ThemeSwitch } from './theme-switch.js';
import { useEffect, useState } from './vendor/hooks.js';

/**
 * Takes an API key, or the code of a link that signs in once. The key goes to the platform and is not kept here.
 *
 * @param {{ code: string | undefined, done: () => Promise<void> }} props
 */
export function SignIn({ code, done }) {
  const redeem = useAction(async () => {
    // The code leaves the address before anything else: it is used up by this.
    history.replaceState(null, '', '#/');
    try {
      await ask('POST', 'console/session', { code });
    } finally {
      await done();
    }
    dispatchEvent(new HashChangeEvent('hashchange'));
  });
  useEffect(() => {
    document.title = 'Sign in · Windlass';
    if (code !== undefined) void redeem.run();
  }, [code]);
  return html`<main class="door">
    <div class="door-top"><${ThemeSwitch} /></div>
    <div class="door-card">
      <img src="icon.svg" alt="" width="44" height="44" />
      <h1>Windlass console</h1>
      <p class="about">
        Sign in with an API key of this platform. It is sent once and not kept in the browser.
      </p>
      <${Refusal} of=${redeem.problem} text="This link was used, or is too old." />
      <${KeyForm} done=${done} busy=${redeem.busy} />
      <p class="hint">
        Or without typing: this prints a link that signs in once.<br />
        <code>windlass platform console</code> <${Copy} text="windlass platform console" what="the command" />
      </p>
    </div>
  </main>`;
}

/** @param {{ done: () => Promise<void>, busy: boolean }} props */
function KeyForm({ done, busy }) {
  const [id, setId] = useState('');
  const [secret, setSecret] = useState('');
  const enter = useAction(async () => {
    await ask('POST', 'console/session', { client_id: id.trim(), client_secret: secret.trim() });
    await done();
  });
  /** Takes both parts from what `platform start` printed. @param {ClipboardEvent} event */
  const paste = (event) => {
    const text = event.clipboardData?.getData('text') ?? '';
    const pair = /\b([0-9a-f]{64})\b[\s\S]*?\b(sk_[0-9a-f]{64})\b/.exec(text);
    if (!pair) return;
    event.preventDefault();
    setId(pair[1] ?? '');
    setSecret(pair[2] ?? '');
  };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    void enter.run();
  };
  return html`<${Refusal} of=${enter.problem} text="This pair is not a key of this platform." />
    <form onSubmit=${submit} onPaste=${paste} method="dialog">
      <label>
        <span>Client id</span>
        <input
          name="client_id"
          value=${id}
          required
          autocomplete="username"
          spellcheck=${false}
          placeholder="64 hex digits"
          onInput=${(/** @type {Event} */ event) => setId(valueOf(event))}
        />
      </label>
      <label>
        <span>Client secret</span>
        <input
          name="client_secret"
          type="password"
          value=${secret}
          required
          autocomplete="current-password"
          placeholder="sk_…"
          onInput=${(/** @type {Event} */ event) => setSecret(valueOf(event))}
        />
      </label>
      <button class="primary" aria-disabled=${busy || enter.busy}>Sign in</button>
    </form>`;
}

/** @param {{ of: import('./api.js').Problem | undefined, text: string }} props */
function Refusal({ of, text }) {
  if (of?.code !== 'HTTP 401') return html`<${Trouble} of=${of} />`;
  const next = 'Print a link: windlass platform console. Make a key: windlass platform key create NAME';
  return html`<${Trouble} of=${{ code: of.code, message: text, next }} />`;
}
