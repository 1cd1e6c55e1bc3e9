import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { planFilesIn } from '../disk/sources.js';
import type { Checked, Diagnostic } from '../model/diagnostic.js';
import { messageOf, WindlassError } from '../model/error.js';
import type { Plan } from '../model/plan.js';
import { permissionsOf, type Permissions } from '../model/permissions.js';
import { loadPlan } from '../plan/load.js';
import type { SourceTexts } from '../report/diagnostics.js';
import { PlanMistakes } from './plan-mistakes.js';
import type { Terminal } from './terminal.js';

/** The plan that commands use when none is named. */
export const DEFAULT_PLAN = 'windlass.yaml';

/** Largest file that is read again only to show an excerpt of it. */
const MOST_EXCERPT_BYTES = 4_000_000;

/** Where a plan is. */
export interface PlanFile {
  /** As the person named it; messages use it. */
  readonly shown: string;
  /** Absolute. */
  readonly path: string;
  /** Absolute; everything that the plan names lies in it. */
  readonly folder: string;
  /** File name without folder, from which the lockfile takes its name. */
  readonly name: string;
  /** What the operator of this machine lets the plan do. */
  readonly permissions: Permissions;
}

/**
 * Finds the plan: a file, or the `windlass.yaml` of a folder.
 *
 * @throws CLI_FILE_MISSING; CLI_USAGE when the environment says what plans may do in a way that cannot be meant
 */
export async function findPlan(
  named: string | undefined,
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
): Promise<PlanFile> {
  const wanted = named ?? DEFAULT_PLAN;
  const info = await stat(resolve(cwd, wanted)).catch(() => undefined);
  const shown = info?.isDirectory() ? join(wanted, DEFAULT_PLAN) : wanted;
  const path = resolve(cwd, shown);
  const found = info?.isDirectory() ? await stat(path).catch(() => undefined) : info;
  if (!found?.isFile()) {
    const advice =
      named === undefined
        ? 'Go to the folder of the plan, name the plan, or begin one with `windlass init`.'
        : 'Check the path.';
    throw new WindlassError('CLI_FILE_MISSING', `There is no plan at ${shown}.`, { advice });
  }
  return { shown, path, folder: dirname(path), name: basename(path), permissions: permissionsAt(cwd, env) };
}

/** What the operator lets plans do; a folder of secrets is relative to where the command runs. */
export function permissionsAt(cwd: string, env: Terminal['env']): Permissions {
  const permissions = permissionsOf(env);
  const { secretsDir } = permissions;
  return secretsDir === undefined ? permissions : { ...permissions, secretsDir: resolve(cwd, secretsDir) };
}

/** Loads a plan for an environment; mistakes come as values. @throws CLI_FILE_MISSING when it cannot be read */
export async function checkPlan(file: PlanFile, environment: string | undefined): Promise<CheckedPlan> {
  const text = await planText(file);
  const checked = await loadPlan({
    file: file.shown,
    text,
    files: planFilesIn(file.folder),
    permissions: file.permissions,
    ...(environment !== undefined && { environment }),
  });
  return { checked, sources: await sourceTexts(checked.diagnostics, file, text) };
}

/** The text of a plan. @throws CLI_FILE_MISSING when it cannot be read */
export async function planText(file: PlanFile): Promise<string> {
  return readFile(file.path, 'utf8').catch((cause: unknown) => {
    throw new WindlassError('CLI_FILE_MISSING', `${file.shown} cannot be read: ${messageOf(cause)}.`, {
      cause,
    });
  });
}

/** A plan, or its mistakes, with the texts that they point into. */
export interface CheckedPlan {
  readonly checked: Checked<Plan>;
  readonly sources: SourceTexts;
}

/**
 * Loads a plan that a command needs. Warnings go to `warned`.
 *
 * @throws PlanMistakes
 */
export async function requirePlan(
  file: PlanFile,
  environment: string | undefined,
  warned: (mistakes: PlanMistakes) => void,
): Promise<Plan> {
  const { checked, sources } = await checkPlan(file, environment);
  const mistakes = new PlanMistakes(checked.diagnostics, sources);
  if (!checked.ok) throw mistakes;
  if (checked.diagnostics.length > 0) warned(mistakes);
  return { ...checked.value, file: file.name };
}

async function sourceTexts(
  diagnostics: readonly Diagnostic[],
  file: PlanFile,
  text: string,
): Promise<SourceTexts> {
  const names = new Set(diagnostics.map((diagnostic) => diagnostic.file));
  const texts = await Promise.all(
    [...names].map(async (name): Promise<readonly [string, string][]> => {
      if (name === file.shown) return [[name, text]];
      const reading = await planFilesIn(file.folder).read(name, MOST_EXCERPT_BYTES);
      return reading.status === 'ok' ? [[name, Buffer.from(reading.bytes).toString('utf8')]] : [];
    }),
  );
  return new Map(texts.flat());
}
