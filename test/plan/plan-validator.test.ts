import { expect, test } from 'vitest';
import { readPlanSchema, validatorSource } from './validator-source.js';

test('the compiled validator is the one of the schema that editors use', async () => {
  await expect(validatorSource()).toMatchFileSnapshot('../../src/plan/plan-validator.artifact.ts');
});

test('every key of the plan is described and has an example', () => {
  const bare: string[] = [];
  let keys = 0;
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties, additionalProperties, items, ...notes } = schema as Record<string, unknown>;
    keys++;
    if (typeof notes['description'] !== 'string' || !Array.isArray(notes['examples'])) bare.push(path);
    for (const [key, value] of Object.entries(properties ?? {})) visit(value, `${path}.${key}`);
    visit(additionalProperties, `${path}.*`);
    visit(items, `${path}[]`);
  };
  visit(readPlanSchema(), 'plan');
  expect(bare).toEqual([]);
  expect(keys).toBeGreaterThan(100);
});
