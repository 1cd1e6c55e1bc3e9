import { to, valueOf } from './hooks.js';
import { html } from './html.js';

/**
 * A choice that narrows a list; it stands in the page's address.
 *
 * @param {{
 *   label: string, name: string, route: import('./hooks.js').Route,
 *   options: readonly (readonly [value: string, word: string])[],
 * }} props
 */
export function Filter({ label, name, route, options }) {
  const chosen = route.query.get(name) ?? '';
  /** @param {Event} event */
  const choose = (event) => {
    const rest = [...route.query].filter(([key]) => key !== name && key !== 'page');
    location.hash = to(route.parts, Object.fromEntries([...rest, [name, valueOf(event)]]));
  };
  return html`<label class="choice">
    <span>${label}</span>
    <select value=${chosen} onChange=${choose}>
      ${[['', 'all'], ...options].map(
        ([value, word]) => html`<option value=${value} selected=${value === chosen}>${word}</option>`,
      )}
    </select>
  </label>`;
}

/** How something on the chain stands, to choose from. */
export const STANDINGS = /** @type {const} */ ([
  ['pending', 'pending'],
  ['success', 'success'],
  ['failed', 'failed'],
]);

/**
 * The address of a list with the page and filters that the console is at.
 *
 * @param {string} path
 * @param {import('./hooks.js').Route} route
 */
export function listAddress(path, route) {
  const query = route.query.toString();
  return query === '' ? path : `${path}?${query}`;
}
