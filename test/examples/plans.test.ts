import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { exampleFolder, readBytes } from './folder.js';

const EXAMPLES = ['campus', 'minimal', 'certificates', 'audit'];
const SCHEMA = '../../schemas/plan.schema.json';

test.each(EXAMPLES)('the plan of %s begins with the path of its schema, for editors', async (example) => {
  const [first] = (await readBytes(example, 'windlass.yaml')).toString('utf8').split('\n');
  expect(first).toBe(`# yaml-language-server: $schema=${SCHEMA}`);
});

test.each(EXAMPLES)('an editor finds nothing wrong with the plan of %s', async (example) => {
  const schema = JSON.parse(await readFile(`${exampleFolder(example)}${SCHEMA}`, 'utf8')) as object;
  const plan: unknown = parse((await readBytes(example, 'windlass.yaml')).toString('utf8'));
  const ajv = new Ajv({ allErrors: true, strict: false });
  ajv.validate(schema, plan);
  expect(ajv.errors ?? []).toEqual([]);
});

test.each(EXAMPLES)('%s needs nothing from the environment of whoever applies it', async (example) => {
  const lines = (await readBytes(example, 'windlass.yaml')).toString('utf8').split('\n');
  const read = lines.filter((line) => !line.trimStart().startsWith('#') && /\{ *(env|file):/.test(line));
  expect(read).toEqual([]);
});
