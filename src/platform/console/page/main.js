import { ask, onSignedOut } from './api.js';
import { useRoute } from './hooks.js';
import { html } from './html.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';
import { useCallback, useEffect, useState } from './vendor/hooks.js';
import { render } from './vendor/preact.js';

/** @typedef {import('../shapes.js').Session} Session */

/** The console: signing in, or the pages of whoever is signed in. */
function Console() {
  const route = useRoute();
  const [session, setSession] = useState(/** @type {Session | null | undefined} */ (undefined));
  const look = useCallback(async () => {
    setSession(/** @type {Session | null} */ (await ask('GET', 'console/session').catch(() => null)));
  }, []);
  useEffect(() => {
    onSignedOut(() => setSession(null));
    void look();
  }, []);
  const code = route.parts[0] === 'sign-in' ? route.parts[1] : undefined;
  if (session === undefined) return html`<p class="loading" role="status">Loading …</p>`;
  if (session === null || code !== undefined) return html`<${SignIn} code=${code} done=${look} />`;
  return html`<${Shell} route=${route} session=${session} leave=${() => setSession(null)} />`;
}

const place = document.getElementById('app');
if (place) render(html`<${Console} />`, place);
