import { html } from './html.js';

/** Lines of the pictures beside the sections, on a field of 24 by 24. @type {Record<string, string>} */
const LINES = {
  overview: 'M4 4h7v7H4zM13 4h7v4h-7zM13 11h7v9h-7zM4 14h7v6H4z',
  projects: 'M3 7l3-3h5l2 3h8v12H3z',
  deployments: 'M12 3l8 4.500v9L12 21l-8-4.500v-9zM12 12l8-4.500M12 12L4 7.500M12 12v9',
  transactions: 'M4 8h14l-3-3M20 16H6l3 3',
  audit: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 11.500l2.200 2.200L15.500 9.500',
  certificates: 'M12 15a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM9 14l-1.500 7 4.500-2.500 4.500 2.500L15 14',
  wallets: 'M4 7h14a2 2 0 0 1 2 2v9H6a2 2 0 0 1-2-2zM4 7l11-3v3M16 13.500h.5',
  keys: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h9M18 12v4M15 12v3',
  requests: 'M4 12h4l2.500-7 4 14 2.500-7h3',
  faults: 'M12 4l9 16H3zM12 10v4.500M12 17v.5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.500l4.500 4.500L19 7',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.500 4.500',
};

/** A picture that says nothing by itself: its neighbour has the word. @param {{ of: string }} props */
export function Icon({ of }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d=${LINES[of] ?? ''} />
  </svg>`;
}
