import { compareEnvironments, isAlike, type EnvironmentSide } from '../../diff/environments.js';
import { openState } from '../../disk/state-folder.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { environmentsJson, environmentsMarkdown, environmentsText } from '../../report/environments.js';
import { findPlan, requirePlan, type PlanFile } from '../plan-file.js';
import { placeOf } from '../session.js';
import { printNote, printResult, type Terminal } from '../terminal.js';
import { printWarnings } from '../warnings.js';

/** Flags of `diff-env`. */
export interface DiffEnvFlags {
  readonly format: 'text' | 'json' | 'markdown';
  readonly detailedExitcode?: boolean;
}

/** Which environments of which plan. */
export interface EnvironmentPair {
  readonly first: string;
  readonly second: string;
  readonly plan: string | undefined;
}

/** Compares what was released to two environments of a plan, from its files and locks; no platform is asked. */
export async function diffEnv(
  terminal: Terminal,
  { first, second, plan }: EnvironmentPair,
  flags: DiffEnvFlags,
): Promise<ExitCode> {
  const file = await findPlan(plan, terminal);
  const found = compareEnvironments(
    await sideOf(terminal, file, first),
    await sideOf(terminal, file, second),
  );
  const writers = {
    text: () => environmentsText(found, { colour: terminal.out.colour }),
    json: () => JSON.stringify(environmentsJson(found), null, 2),
    markdown: () => environmentsMarkdown(found),
  };
  printResult(terminal, writers[flags.format]());
  return flags.detailedExitcode && !isAlike(found) ? EXIT.changes : EXIT.done;
}

async function sideOf(terminal: Terminal, file: PlanFile, name: string): Promise<EnvironmentSide> {
  const plan = await requirePlan(file, name, printWarnings(terminal));
  const { lock, notices } = await openState(placeOf(file, plan.environment));
  for (const notice of notices) printNote(terminal, `${name}: ${notice}`);
  return { plan, entries: lock?.entries ?? new Map<never, never>() };
}
