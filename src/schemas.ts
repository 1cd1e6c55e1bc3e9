import { readFileSync } from 'node:fs';

/** The schemas that the package brings, by file name without `.schema.json`. */
export type SchemaName = 'plan' | 'lock' | 'journal' | 'attestation' | 'change-set' | 'faults';

/**
 * Text of a schema in `schemas/`, for editors and `windlass schema`. The only reader of that folder; works from
 * `src/` and from `dist/`, which lie beside it.
 */
export function readSchema(name: SchemaName): string {
  return readFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8');
}
