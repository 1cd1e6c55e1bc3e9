import htm from './vendor/htm.js';
import { h } from './vendor/preact.js';

/**
 * Characters that nobody sees and that put others in another order: a name, or a line of a contract, could show as
 * another. The marks of right-to-left writing that only join letters stay.
 */
const UNSEEN =
  /[\p{Cc}\u00AD\u115F\u1160\u180E\u200B\u2028-\u202E\u2060-\u2069\u3164\uFEFF\uFFA0\u{E0000}-\u{E007F}]/gu;

/** A text as a page shows it: what nobody would see is spelled out. @param {string} text */
export function visible(text) {
  return text.replace(UNSEEN, (character) =>
    /[\n\r\t]/.test(character)
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/** @param {unknown} child @returns {unknown} */
function shown(child) {
  if (typeof child === 'string') return visible(child);
  return Array.isArray(child) ? child.map(shown) : child;
}

/**
 * @param {string} type
 * @param {Record<string, unknown> | null} props
 * @param {readonly import('./vendor/preact.js').ComponentChildren[]} children
 */
const element = (type, props, ...children) =>
  h(type, props, .../** @type {import('./vendor/preact.js').ComponentChildren[]} */ (children.map(shown)));

/** Markup as tagged templates; every value in it is text, an attribute or a component, never markup. */
export const html = htm.bind(/** @type {typeof h} */ (element));
