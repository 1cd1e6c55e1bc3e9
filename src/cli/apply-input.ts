import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EVERYTHING, type Selection } from '../diff/selection.js';
import { WindlassError } from '../model/error.js';
import type { Json } from '../model/json.js';
import { isSavedChangeSet, parseSavedChangeSet, type SavedChangeSet } from '../report/saved-change-set.js';
import { findPlan, type PlanFile } from './plan-file.js';
import { selectionOf, type SelectionFlags } from './selection-flags.js';

/** What an apply is about: a plan, or a saved change set with the plan that it was made from. */
export interface ApplyInput {
  readonly file: PlanFile;
  readonly environment: string | undefined;
  readonly selection: Selection;
  readonly forget: boolean;
  readonly saved?: SavedChangeSet;
}

/**
 * Finds out what a person wants applied.
 *
 * @throws CLI_FILE_MISSING; CHANGESET_TAMPERED; CLI_USAGE for flags that a saved change set has settled already
 */
export async function readApplyInput(
  named: string | undefined,
  flags: SelectionFlags & { readonly env?: string },
  cwd: string,
): Promise<ApplyInput> {
  const text = named === undefined || /\.ya?ml$/i.test(named) ? undefined : await textOf(resolve(cwd, named));
  if (named === undefined || text === undefined || !isSaved(text)) {
    return {
      file: await findPlan(named, cwd),
      environment: flags.env,
      selection: selectionOf(flags),
      forget: flags.forget === true,
    };
  }
  const saved = parseSavedChangeSet(text);
  const { environment } = saved.changeSet;
  const given = [...flags.target, ...flags.exclude, ...flags.replace];
  if (given.length > 0 || flags.forget || (flags.env !== undefined && flags.env !== environment)) {
    throw new WindlassError(
      'CLI_USAGE',
      'A saved change set is applied as it is: its flags cannot be changed.',
      {
        advice: 'Make another one with `windlass plan --out`.',
      },
    );
  }
  const file = await findPlan(resolve(dirname(resolve(cwd, named)), saved.planPath), cwd);
  return { file, environment, selection: EVERYTHING, forget: saved.forget, saved };
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EISDIR' || thrown.code === 'ENOENT') return undefined;
    throw new WindlassError('CLI_FILE_MISSING', `${path} cannot be read: ${thrown.message}.`);
  });
}

/** Damaged ones too: what opens like a saved change set is never taken for a plan. */
function isSaved(text: string): boolean {
  try {
    return isSavedChangeSet(JSON.parse(text) as Json);
  } catch {
    return /^\s*\{\s*"kind":\s*"windlass-change-set"/.test(text);
  }
}
