import solc from 'solc';
import { expect, test } from 'vitest';
import { planFilesIn } from '../../src/disk/sources.js';
import type { Checked } from '../../src/model/diagnostic.js';
import type { Plan } from '../../src/model/plan.js';
import { loadPlan } from '../../src/plan/load.js';
import { exampleFolder, readBytes } from './folder.js';

const compile = solc.compile as (input: string) => string;

async function load(example: string): Promise<Checked<Plan>> {
  const text = (await readBytes(example, 'windlass.yaml')).toString('utf8');
  return loadPlan({ file: 'windlass.yaml', text, files: planFilesIn(exampleFolder(example)) });
}

test.each(['campus', 'minimal', 'certificates', 'audit'])(
  '%s loads without a diagnostic',
  async (example) => {
    const { ok, diagnostics } = await load(example);
    expect(diagnostics).toEqual([]);
    expect(ok).toBe(true);
  },
);

test(
  'the registry of the campus still compiles as the flat files that are uploaded',
  { timeout: 60_000 },
  async () => {
    const plan = await load('campus');
    const resources = plan.ok ? plan.value.resources : [];
    const registry = resources.find(({ id }) => id === 'version.registry@1.0.0');
    if (registry?.kind !== 'version') throw new Error('the plan has no registry');
    const sources: Record<string, { content: string }> = {};
    for (const { filename, path, rewritten } of registry.inputs.sources) {
      sources[filename] = { content: rewritten ?? (await readBytes('campus', path)).toString('utf8') };
    }
    const settings = { outputSelection: { '*': { '*': ['abi'] } } };
    const answer = compile(JSON.stringify({ language: 'Solidity', sources, settings }));
    const output = JSON.parse(answer) as { errors?: unknown; contracts: Record<string, object> };
    expect(output.errors).toBeUndefined();
    expect(Object.keys(sources).filter((filename) => filename.includes('/'))).toEqual([]);
    expect(Object.values(output.contracts).flatMap((file) => Object.keys(file))).toHaveLength(7);
  },
);
