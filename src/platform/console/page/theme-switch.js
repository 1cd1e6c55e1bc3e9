import { valueOf } from './hooks.js';
import { html } from './html.js';
import { useState } from './vendor/hooks.js';

const WORDS = /** @type {const} */ ({ system: 'System', light: 'Light', dark: 'Dark' });

/** Light, dark, or as the system has it. The choice stays in this browser. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(document.documentElement.dataset['theme'] ?? 'system');
  /** @param {Event} event */
  const choose = (event) => {
    const chosen = valueOf(event);
    if (chosen === 'system') {
      delete document.documentElement.dataset['theme'];
      localStorage.removeItem('windlass-theme');
    } else {
      document.documentElement.dataset['theme'] = chosen;
      localStorage.setItem('windlass-theme', chosen);
    }
    setTheme(chosen);
  };
  return html`<label class="theme">
    <span class="hidden">Theme</span>
    <select value=${theme} onChange=${choose}>
      ${Object.entries(WORDS).map(([value, word]) => html`<option value=${value} selected=${value === theme}>${word}</option>`)}
    </select>
  </label>`;
}
