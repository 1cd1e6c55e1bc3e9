import htm from './vendor/htm.js';
import { h } from './vendor/preact.js';

/** Markup as tagged templates; every value in it is text, an attribute or a component, never markup. */
export const html = htm.bind(h);
