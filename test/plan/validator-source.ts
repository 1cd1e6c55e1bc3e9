import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';

const NOTES: ReadonlySet<string> = new Set(['description', 'examples', 'default', 'title', '$schema', '$id']);

/** The schema that editors use. */
export function readPlanSchema(): Record<string, unknown> {
  const text = readFileSync(new URL('../../schemas/plan.schema.json', import.meta.url), 'utf8');
  return JSON.parse(text) as Record<string, unknown>;
}

/** Text of `src/plan/plan-validator.artifact.ts`: the schema compiled by ajv, without what only people read. */
export function validatorSource(): string {
  const schema = withoutNotes(readPlanSchema(), false) as Record<string, unknown>;
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    allowUnionTypes: true,
    strictTypes: false,
    code: { source: true, esm: true },
  });
  const text = JSON.stringify(schema);
  const code = standalone
    .default(ajv, ajv.compile(schema))
    .replace(/^"use strict";export const validate = validate10;export default validate10;/, '')
    .replace(text, 'schema');
  if (/require\(|import |export /.test(code))
    throw new Error('the compiled validator needs a runtime import');
  return `// @ts-nocheck
/* oxlint-disable */
/*
 * Generated from schemas/plan.schema.json by ajv; compiling it at start would cost a third of the time that
 * \`windlass validate\` may take. Renew it with: npx vitest run test/plan/plan-validator.test.ts -u
 */

/** The plan's schema without descriptions. */
// oxfmt-ignore
export const PLAN_SCHEMA = ${text};

/** Validates a plain value; \`validatePlan.errors\` holds what ajv found. */
// oxfmt-ignore
export const validatePlan = ((schema) => { ${code}; return validate10; })(PLAN_SCHEMA);
`;
}

function withoutNotes(value: unknown, areProperties: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNotes(item, false));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => areProperties || !NOTES.has(key));
  return Object.fromEntries(
    kept.map(([key, item]) => [key, withoutNotes(item, !areProperties && key === 'properties')]),
  );
}
