import { writeFile } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import type { StateFolder } from '../../disk/known-state.js';
import { openState } from '../../disk/state-folder.js';
import { preview } from '../../engine.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { isEmpty, type ChangeSet } from '../../model/change.js';
import { WindlassError } from '../../model/error.js';
import type { Plan } from '../../model/plan.js';
import { changeSetJson } from '../../report/change-set-json.js';
import type { PageMaterial } from '../../report/page-material.js';
import { formatSavedChangeSet } from '../../report/saved-change-set.js';
import type { Target } from '../../state/event.js';
import { changeSetForm, materialFor, type ChangeSetForm } from '../change-set-forms.js';
import { openEventStream, type StreamFlags } from '../event-stream.js';
import { failureEvent } from '../failure.js';
import { withHeartbeat } from '../heartbeat.js';
import { findPlan, requirePlan, type PlanFile } from '../plan-file.js';
import { readMaterial, type MaterialParts } from '../page-material.js';
import { selectionOf, selectionWords, type DensityFlags, type SelectionFlags } from '../selection-flags.js';
import { escapeTerminal } from '../../report/escape.js';
import { tellCode } from '../run-end.js';
import { findShared } from '../shared-organisation.js';
import type { KeyFlags } from '../key-admission.js';
import { abilitiesOf, commandPlace, openSession, pinnedPlan, placeOf } from '../session.js';
import { commandLine } from '../../report/shell-word.js';
import { printNote, printResult, type Terminal } from '../terminal.js';
import { packageVersion } from '../version.js';
import { printWarnings } from '../warnings.js';

/** Flags of `plan`. */
export interface PlanFlags extends SelectionFlags, DensityFlags, StreamFlags, KeyFlags {
  readonly env?: string;
  readonly format: ChangeSetForm;
  readonly out?: string;
  /** A file for the comment, beside what is printed. */
  readonly markdownInto?: string;
  readonly offline?: boolean;
  readonly detailedExitcode?: boolean;
}

/** A change set with the state that it was computed from. */
export interface Previewed {
  readonly changeSet: ChangeSet;
  readonly state: StateFolder;
  /** Undefined offline, where nobody was asked. */
  readonly target: Target | undefined;
  readonly files: Plan['files'];
  /** What a page shows beside it; read only for one. */
  readonly material?: PageMaterial;
}

/** Prints what would change. Writes nothing but the file of `--out`. */
export async function plan(
  terminal: Terminal,
  named: string | undefined,
  flags: PlanFlags,
): Promise<ExitCode> {
  const stream = openEventStream(flags, terminal);
  try {
    refusePlanNames(flags);
    const file = await findPlan(named, terminal);
    const previewed = flags.offline
      ? await previewOffline(terminal, file, flags)
      : await previewOnline(terminal, file, flags);
    const { changeSet } = previewed;
    if (flags.offline)
      printNote(terminal, 'Offline: compared with what is locked; the platform was not asked.');
    for (const notice of previewed.state.notices) printNote(terminal, notice);
    if (flags.out !== undefined) await save(resolve(terminal.cwd, flags.out), file, flags, previewed);
    if (stream.isRead) stream.emit({ type: 'change-set', changeSet: changeSetJson(changeSet) });
    await show(terminal, { flags, named, previewed, isPrinted: !stream.onStdout });
    return exitCodeOfPlan(changeSet, flags, () =>
      tellCode(
        { terminal, stream },
        changeSet.unsettled?.some(({ state }) => state === 'duplicate') ? 'STEP_DUPLICATE' : 'STEP_UNDECIDED',
        commandPlace(named, flags.env),
      ),
    );
  } catch (thrown) {
    stream.emit(failureEvent(thrown, { environment: flags.env, plan: named }));
    throw thrown;
  } finally {
    stream.close();
  }
}

/** Prints the change set, and writes the file of `--markdown-into`. */
async function show(
  terminal: Terminal,
  {
    flags,
    named,
    previewed: { changeSet, material },
    isPrinted,
  }: {
    readonly flags: PlanFlags;
    readonly named: string | undefined;
    readonly previewed: Previewed;
    readonly isPrinted: boolean;
  },
): Promise<void> {
  const formFor = (shown: PlanFlags) => {
    const next = nextCommand(named, shown, changeSet);
    return { terminal, flags: shown, ...(next !== undefined && { next }), ...(material && { material }) };
  };
  if (flags.markdownInto !== undefined) {
    const comment = changeSetForm(changeSet, formFor({ ...flags, format: 'markdown' }));
    await writeFile(resolve(terminal.cwd, flags.markdownInto), `${comment}\n`);
  }
  if (isPrinted) printResult(terminal, changeSetForm(changeSet, formFor(flags)));
}

async function previewOnline(terminal: Terminal, file: PlanFile, flags: PlanFlags): Promise<Previewed> {
  const session = await openSession(terminal, file, flags.env, flags);
  try {
    const state = await openState(session.place);
    state.checkTarget(session.target, session.admission?.lineage);
    const shared = state.lock === undefined ? await findShared(session) : undefined;
    if (shared !== undefined)
      printNote(
        terminal,
        escapeTerminal(`${shared.message} Its first apply would be refused (TARGET_SHARED).`),
      );
    const changeSet = await withHeartbeat(
      terminal,
      'Reading the platform',
      preview({
        plan: session.plan,
        state: state.state,
        abilities: session.abilities,
        service: session.service,
        selection: selectionOf(flags),
        forget: flags.forget === true,
        refreshOnly: flags.refreshOnly === true,
        strangers: state.strangers,
      }),
    );
    const { plan: loaded, service, target } = session;
    const parts = { plan: loaded, folder: file.folder, state: state.state, service };
    const found = { changeSet, state, target, files: loaded.files };
    const asked = materialFor(flags);
    return asked === 'nothing' ? found : { ...found, material: await materialOf(found, parts, asked) };
  } finally {
    await session.close();
  }
}

async function previewOffline(terminal: Terminal, file: PlanFile, flags: PlanFlags): Promise<Previewed> {
  const written = await requirePlan(file, flags.env, printWarnings(terminal));
  const loaded = await pinnedPlan(written, file, 'offline');
  const state = await openState(placeOf(file, loaded.environment, true));
  const changeSet = await preview({
    plan: loaded,
    state: state.state,
    abilities: abilitiesOf(loaded.environment),
    service: undefined,
    selection: selectionOf(flags),
    forget: flags.forget === true,
    strangers: state.strangers,
  });
  const found = { changeSet, state, target: undefined, files: loaded.files };
  const parts = { plan: loaded, folder: file.folder, state: state.state, service: undefined };
  const asked = materialFor(flags);
  return asked === 'nothing' ? found : { ...found, material: await materialOf(found, parts, asked) };
}

async function materialOf(
  previewed: Previewed,
  parts: MaterialParts,
  asked: 'everything' | 'sources',
): Promise<PageMaterial> {
  const { changeSet, state, target, files } = previewed;
  const { lock } = state;
  const origin = {
    engine: packageVersion(),
    files,
    ...(target && { target: [target.origin, target.chain].join(' ').trim() }),
    ...(lock && { lineage: lock.lineage, serial: lock.serial }),
  };
  return { ...(await readMaterial(changeSet, parts, asked)), origin };
}

async function save(
  out: string,
  file: PlanFile,
  flags: PlanFlags,
  { changeSet, state, target, files }: Previewed,
): Promise<void> {
  const text = formatSavedChangeSet({
    planPath: relative(dirname(out), file.path),
    target: target ?? null,
    lineage: state.lock?.lineage ?? null,
    serial: state.lock?.serial ?? 0,
    selection: selectionOf(flags),
    forget: flags.forget === true,
    engine: packageVersion(),
    files,
    changeSet,
  });
  await writeFile(out, text, { mode: 0o600 });
}

/** What is written in the place of a plan would be a lost plan. */
function refusePlanNames({ out, markdownInto }: PlanFlags): void {
  for (const [flag, name] of Object.entries({ '--out': out, '--markdown-into': markdownInto })) {
    if (name === undefined || !/\.ya?ml$/i.test(name)) continue;
    throw new WindlassError('CLI_USAGE', `${flag} ${name} has the name of a plan.`, {
      advice: 'Name the file otherwise, e.g. release.json.',
    });
  }
}

function nextCommand(named: string | undefined, flags: PlanFlags, changeSet: ChangeSet): string | undefined {
  if (changeSet.changes.some(({ action }) => action === 'blocked')) return undefined;
  const where = [
    ...(named === undefined ? [] : [named]),
    ...(flags.env === undefined ? [] : ['--env', flags.env]),
  ];
  if (isDone(changeSet)) {
    // In a comment or on a page the command applies what stands there.
    const asksMore = flags.format === 'text' && hasDrift(changeSet) && !flags.refreshOnly;
    return asksMore ? commandLine(['windlass', 'plan', ...where, '--refresh-only']) : undefined;
  }
  // A page or a comment is read on another machine, where the folders of this one say nothing.
  const saved = flags.format === 'text' ? flags.out : flags.out && basename(flags.out);
  if (saved !== undefined) return commandLine(['windlass', 'apply', saved]);
  return commandLine(['windlass', 'apply', ...where, ...selectionWords(flags)]);
}

/** @param tellUnsettled names what is not settled where nothing else is to be done */
function exitCodeOfPlan(changeSet: ChangeSet, flags: PlanFlags, tellUnsettled: () => ExitCode): ExitCode {
  if (changeSet.changes.some((change) => change.action === 'blocked')) return EXIT.invalid;
  // With something to do, apply says what becomes of it.
  if (isDone(changeSet) && changeSet.unsettled !== undefined) return tellUnsettled();
  if (hasDrift(changeSet)) return EXIT.drift;
  return flags.detailedExitcode && !isDone(changeSet) ? EXIT.changes : EXIT.done;
}

/** True when applying would do nothing at all: no write, no change of the lock, nothing left open. */
export function isDone(changeSet: ChangeSet): boolean {
  return isEmpty(changeSet) && changeSet.steps.length === 0;
}

function hasDrift({ changes }: ChangeSet): boolean {
  return changes.some((change) => change.drift.length > 0);
}
