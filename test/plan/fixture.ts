import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { planFilesIn } from '../../src/disk/sources.js';
import type { Checked, Diagnostic } from '../../src/model/diagnostic.js';
import type { Plan } from '../../src/model/plan.js';
import { loadPlan } from '../../src/plan/load.js';

/** Folder of the fixture plans and the files that they name. */
export const FIXTURES: string = fileURLToPath(new URL('../fixtures/plans/', import.meta.url));

/** Loads a fixture plan (its path below the folder of fixtures) or a text, with the fixtures' files. */
export async function loadFixture(
  plan: { readonly path: string } | { readonly text: string },
  environment = 'local',
  variables: Readonly<Record<string, string>> = {},
): Promise<Checked<Plan>> {
  const text = 'text' in plan ? plan.text : await readFile(FIXTURES + plan.path, 'utf8');
  return loadPlan({ file: 'windlass.yaml', text, environment, variables, files: planFilesIn(FIXTURES) });
}

/** The part of a text that a diagnostic underlines. */
export function underlined(text: string, { range }: Diagnostic): string {
  const lines = text.split('\n');
  const { start, end } = range;
  if (start.line !== end.line) return lines.slice(start.line - 1, end.line).join('\n');
  return (lines[start.line - 1] ?? '').slice(start.column - 1, end.column - 1);
}
