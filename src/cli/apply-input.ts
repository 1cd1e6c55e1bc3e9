import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { EVERYTHING, type Selection } from '../diff/selection.js';
import { planFilesIn } from '../disk/sources.js';
import { digestOfBytes, type Digest } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { checkFiles } from '../report/admission.js';
import {
  looksLikeSavedChangeSet,
  parseSavedChangeSet,
  type SavedChangeSet,
} from '../report/saved-change-set.js';
import { failureAt } from './failure.js';
import { findPlan, type PlanFile } from './plan-file.js';
import { selectionOf, type SelectionFlags } from './selection-flags.js';
import type { Terminal } from './terminal.js';

/** What an apply is about: a plan, or a saved change set with the plan that it was made from. */
export interface ApplyInput {
  readonly file: PlanFile;
  readonly environment: string | undefined;
  readonly selection: Selection;
  readonly forget: boolean;
  readonly refreshOnly: boolean;
  readonly saved?: SavedChangeSet;
  /** The file of the saved change set, as the person named it. */
  readonly savedAs?: string;
}

/**
 * Finds out what a person wants applied. `--plan` says where the plan is when a saved change set was carried elsewhere.
 *
 * @throws CLI_FILE_MISSING; CHANGESET_TAMPERED; CHANGESET_STALE when a file that a saved change set was made from is
 * another one now; CHANGESET_OTHER_TARGET for another environment; CLI_USAGE for flags that it has settled already
 */
export async function readApplyInput(
  named: string | undefined,
  flags: SelectionFlags & { readonly env?: string; readonly plan?: string },
  place: Pick<Terminal, 'cwd' | 'env'>,
): Promise<ApplyInput> {
  const saved = named === undefined ? undefined : await savedIn(resolve(place.cwd, named));
  if (named === undefined || saved === undefined) {
    if (flags.plan !== undefined) {
      throw new WindlassError('CLI_USAGE', '--plan says where the plan of a saved change set is by now.');
    }
    return {
      file: await findPlan(named, place),
      environment: flags.env,
      selection: selectionOf(flags),
      forget: flags.forget === true,
      refreshOnly: flags.refreshOnly === true,
    };
  }
  return savedInput({ saved, savedAs: named }, flags, place).catch((thrown: unknown) => {
    throw failureAt(thrown, { environment: flags.env ?? saved.changeSet.environment });
  });
}

/** The same for a saved change set, which settles all but where its plan is by now. */
async function savedInput(
  { saved, savedAs }: Required<Pick<ApplyInput, 'saved' | 'savedAs'>>,
  flags: SelectionFlags & { readonly env?: string; readonly plan?: string },
  place: Pick<Terminal, 'cwd' | 'env'>,
): Promise<ApplyInput> {
  const { cwd } = place;
  const { forget, planPath, changeSet } = saved;
  const { environment } = changeSet;
  refuseFlags(flags, environment);
  const path =
    flags.plan === undefined
      ? resolve(dirname(resolve(cwd, savedAs)), planPath)
      : (await findPlan(flags.plan, place)).path;
  await checkFilesNow(saved, path);
  return {
    file: await findPlan(path, place),
    environment,
    selection: EVERYTHING,
    forget,
    refreshOnly: false,
    saved,
    savedAs,
  };
}

/** Reads nothing but what the change set names, so that a plan which is broken by now is told as what it is: edited. */
async function checkFilesNow(saved: SavedChangeSet, planPath: string): Promise<void> {
  const text = await readFile(planPath, 'utf8').catch(() => undefined);
  const inside = planFilesIn(dirname(planPath));
  const files: Record<string, Digest | undefined> = {};
  if (text !== undefined) {
    for (const path of Object.keys(saved.files)) {
      const reading = await inside.digest(path, Number.MAX_SAFE_INTEGER);
      files[path] = reading.status === 'ok' ? reading.digest : undefined;
    }
  }
  const named = basename(planPath) === saved.changeSet.plan.file;
  const plan = text === undefined || !named ? undefined : digestOfBytes(text);
  checkFiles(saved, { plan, files: text === undefined ? saved.files : files });
}

/** What a saved change set has settled already. */
function refuseFlags(flags: SelectionFlags & { readonly env?: string }, environment: string): void {
  if (flags.env !== undefined && flags.env !== environment) {
    throw new WindlassError(
      'CHANGESET_OTHER_TARGET',
      `The saved change set was made for ${environment}, not for ${flags.env}.`,
    );
  }
  const given = [...flags.target, ...flags.exclude, ...flags.replace];
  if (given.length > 0 || flags.forget || flags.refreshOnly) {
    throw new WindlassError(
      'CLI_USAGE',
      'A saved change set is applied as it is: its flags cannot be changed.',
      { advice: 'Make another one with `windlass plan --out`.' },
    );
  }
}

/** The saved change set in a file; undefined when there is none in it. */
async function savedIn(path: string): Promise<SavedChangeSet | undefined> {
  const bytes = await bytesOf(path);
  const text = bytes?.toString('utf8');
  if (bytes === undefined || text === undefined || !looksLikeSavedChangeSet(text)) return undefined;
  // Several bytes that are no UTF-8 read as one and the same character, so that their text shows no edit.
  if (!bytes.equals(Buffer.from(text)))
    throw new WindlassError('CHANGESET_TAMPERED', 'The saved change set was edited: it is not UTF-8.');
  return parseSavedChangeSet(text);
}

async function bytesOf(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EISDIR' || thrown.code === 'ENOENT') return undefined;
    throw new WindlassError('CLI_FILE_MISSING', `${path} cannot be read: ${thrown.message}.`);
  });
}
