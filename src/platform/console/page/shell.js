import { ask } from './api.js';
import { Audit, AuditRecord } from './audit.js';
import { Certificate, Certificates } from './certificates.js';
import { Contracts, Deployment, Deployments } from './deployments.js';
import { Faults } from './faults.js';
import { html } from './html.js';
import { Icon } from './icons.js';
import { Keys } from './keys.js';
import { Overview } from './overview.js';
import { Empty, Head } from './parts.js';
import { Project, Projects, Versions } from './projects.js';
import { Callbacks, Requests } from './requests.js';
import { Search } from './search.js';
import { ThemeSwitch } from './theme-switch.js';
import { Transaction, Transactions } from './transactions.js';
import { useEffect, useRef } from './vendor/hooks.js';
import { Version } from './version.js';
import { Wallets } from './wallets.js';

/** @typedef {import('./hooks.js').Route} Route */
/** @typedef {import('../shapes.js').Session} Session */
/** @typedef {(props: { route: Route, session: Session }) => unknown} Page */

/** Sections of the console, each with its pages by how many parts their address has, and the one that it stands under. */
const SECTIONS =
  /** @type {readonly { id: string, name: string, under?: string, pages: readonly Page[] }[]} */ ([
    { id: 'overview', name: 'Overview', pages: [Overview] },
    { id: 'projects', name: 'Projects', pages: [Projects, Project, Version] },
    { id: 'versions', name: 'Versions', under: 'projects', pages: [Versions] },
    { id: 'deployments', name: 'Deployments', pages: [Deployments, Deployment] },
    { id: 'contracts', name: 'Contracts', under: 'deployments', pages: [Contracts] },
    { id: 'transactions', name: 'Transactions', pages: [Transactions, Transaction] },
    { id: 'audit', name: 'Audit', pages: [Audit, AuditRecord] },
    { id: 'certificates', name: 'Certificates', pages: [Certificates, Certificates, Certificate] },
    { id: 'wallets', name: 'Wallets', pages: [Wallets] },
    { id: 'keys', name: 'API keys', pages: [Keys] },
    { id: 'requests', name: 'Requests', pages: [Requests, Callbacks] },
    { id: 'faults', name: 'Faults and clock', pages: [Faults] },
    { id: 'search', name: 'Search', under: '', pages: [Search] },
  ]);

/**
 * Everything round a page: sections, search, who is signed in.
 *
 * @param {{ route: Route, session: Session, leave: () => void }} props
 */
export function Shell({ route, session, leave }) {
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const [first = 'overview', ...rest] = route.parts;
  const section = SECTIONS.find(({ id }) => id === first);
  const Page = section?.pages[Math.min(rest.length, section.pages.length - 1)];
  const path = route.parts.join('/');
  const seen = useRef(path);
  useEffect(() => {
    showSection();
    // Whoever followed a link begins to read, or to tab, at the new page.
    if (seen.current !== path) main.current?.focus();
    if (seen.current !== path) scrollTo(0, 0);
    seen.current = path;
  }, [path]);
  useEffect(() => {
    addEventListener('keydown', slash);
    return () => removeEventListener('keydown', slash);
  }, []);
  /** @param {Event} event */
  const skip = (event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return html`<a class="skip" href="#main" onClick=${skip}>Skip to content</a>
    <div class="shell">
      <${Side} current=${section?.under ?? section?.id} />
      <div class="body">
        <${Top} session=${session} sought=${first === 'search' ? (rest[0] ?? '') : ''} leave=${leave} />
        <main id="main" tabindex="-1" ref=${main}>
          ${
            Page
              ? html`<${Page} key=${path} route=${route} session=${session} />`
              : html`<${Head} title="Not found" /><${Empty} title="There is no such page.">
                    <a href="#/">Go to the overview</a>
                  <//>`
          }
        </main>
      </div>
    </div>`;
}

/** On a narrow page the sections are a line that scrolls: the current one is shown, without taking the focus there. */
function showSection() {
  const link = document.querySelector('.side [aria-current]');
  const list = link?.closest('ul');
  if (link instanceof HTMLElement && list) list.scrollLeft = link.offsetLeft - list.offsetLeft - 60;
}

/** @param {KeyboardEvent} event */
function slash(event) {
  const inField = event.target instanceof Element && event.target.closest('input, textarea, select');
  const search = document.querySelector('#search');
  if (event.key !== '/' || inField || event.ctrlKey || event.metaKey || !(search instanceof HTMLElement))
    return;
  event.preventDefault();
  search.focus();
}

/** @param {{ current: string | undefined }} props */
function Side({ current }) {
  return html`<div class="side">
    <nav aria-label="Sections">
      <a class="brand" href="#/"><img src="icon.svg" alt="" width="26" height="26" /><span>Windlass</span></a>
      <ul>
        ${SECTIONS.filter(({ under }) => under === undefined).map(
          ({ id, name }) =>
            html`<li>
              <a
                href=${id === 'overview' ? '#/' : `#/${id}`}
                aria-current=${id === current ? 'page' : undefined}
              >
                <${Icon} of=${id} /><span>${name}</span>
              </a>
            </li>`,
        )}
      </ul>
    </nav>
  </div>`;
}

/** @param {{ session: Session, sought: string, leave: () => void }} props */
function Top({ session, sought, leave }) {
  const signOut = async () => {
    await ask('DELETE', 'console/session').catch(() => undefined);
    leave();
  };
  /** @param {Event} event */
  const search = (event) => {
    event.preventDefault();
    const field = event.target instanceof HTMLFormElement ? event.target.elements.namedItem('q') : null;
    const text = field instanceof HTMLInputElement ? field.value.trim() : '';
    if (text !== '') location.hash = `#/search/${encodeURIComponent(text)}`;
  };
  return html`<header class="top">
    <form role="search" onSubmit=${search} method="dialog">
      <label class="search">
        <${Icon} of="search" /><span class="hidden">Search</span>
        <input
          id="search"
          name="q"
          type="search"
          key=${sought}
          defaultValue=${sought}
          maxlength="200"
          placeholder="Search names, keys, addresses"
          autocomplete="off"
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
    </form>
    <div class="who">
      <span class="org" title=${`Signed in with the key “${session.key}”`}>
        <span class="hidden">Organisation </span>${session.organisation}<span class="faint">
          · ${session.key}</span
        >
      </span>
      <${ThemeSwitch} />
      <button type="button" class="quiet" onClick=${signOut}>Sign out</button>
    </div>
  </header>`;
}
