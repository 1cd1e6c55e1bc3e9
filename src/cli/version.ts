import { readFileSync } from 'node:fs';

/** Version of the event stream of `--json`: minor grows by additions, major by breaking changes. */
export const EVENTS_VERSION = '1.0';

/** Version of this package. Works from `src/` and from `dist/`, which lie beside package.json. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
