import { escapeHtml } from './escape.js';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --faint: #777; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --faint: #aaa; --bad: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.faint { color: var(--faint); } .bad { color: var(--bad); font-weight: 600; }
.box { border: 2px solid var(--bad); border-radius: .4rem; padding: .1rem 1rem; }
.graph { overflow-x: auto; } svg { max-width: none; }
`;

/**
 * A whole page that loads nothing from anywhere and runs no script.
 *
 * @param title plain text
 * @param body finished HTML; everything untrusted in it is escaped already
 */
export function htmlPage(title: string, body: string): string {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    `<body>\n${body}\n</body>`,
    '</html>',
    '',
  ].join('\n');
}
