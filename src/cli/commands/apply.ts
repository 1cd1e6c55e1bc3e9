import { openState } from '../../disk/state-folder.js';
import { outdatedResources } from '../../diff/outdated.js';
import { apply as execute, preview, refuseBlocked } from '../../engine.js';
import type { ChangeSet } from '../../model/change.js';
import { LOCAL } from '../../model/environment.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import type { Json } from '../../model/json.js';
import { needsOf } from '../../execute/needs.js';
import { countIrreversible } from '../../report/change-lines.js';
import { changeSetJson } from '../../report/change-set-json.js';
import { changeSetText } from '../../report/change-set-text.js';
import { addressesOf, addressTable } from '../../report/outputs.js';
import { resultText } from '../../report/run-text.js';
import { admitSaved, checkFiles, checkOrigin, selectionNow } from '../../report/admission.js';
import { savedDigest } from '../../report/saved-change-set.js';
import { readApplyInput, type ApplyInput } from '../apply-input.js';
import { confirmApply, type ConfirmFlags } from '../confirm.js';
import { openEventStream, type EventStream, type StreamFlags } from '../event-stream.js';
import { failureAt, failureEvent } from '../failure.js';
import { withHeartbeat } from '../heartbeat.js';
import { Interrupted } from '../interruption.js';
import { explainedBy, lookAgain } from '../look-again.js';
import type { LockFlags } from '../lock-wait.js';
import { showProgress } from '../progress.js';
import { openRunPage, pageParts, type RunPageFlags } from '../run-page.js';
import { exitOfRun, tellRunEnd } from '../run-end.js';
import { openRunSession, type RunSession } from '../run-session.js';
import { densityOf, type DensityFlags, type SelectionFlags } from '../selection-flags.js';
import type { KeyFlags } from '../key-admission.js';
import { openSession, type Session } from '../session.js';
import { requireWriting } from '../own-key.js';
import { isSet, printNote, printResult, type Terminal } from '../terminal.js';
import { packageVersion } from '../version.js';
import { isDone } from './plan.js';

/** Flags of `apply`. */
export interface ApplyFlags
  extends SelectionFlags, DensityFlags, StreamFlags, ConfirmFlags, LockFlags, RunPageFlags, KeyFlags {
  readonly env?: string;
  readonly plan?: string;
  readonly ephemeralJournal?: boolean;
  readonly failFast?: boolean;
}

/** Executes a plan, or a saved change set, after it was confirmed. Resumes whatever an earlier run left. */
export async function apply(
  terminal: Terminal,
  named: string | undefined,
  flags: ApplyFlags,
): Promise<ExitCode> {
  const stream = openEventStream(flags, terminal);
  try {
    const input = await readApplyInput(named, flags, terminal);
    const session = await openSession(terminal, input.file, input.environment, flags);
    try {
      refuseEphemeral(session, flags, terminal);
      return await applySession({ terminal, session, flags, stream }, input);
    } catch (thrown) {
      throw failureAt(thrown, input);
    } finally {
      await session.close();
    }
  } catch (thrown) {
    stream.emit(failureEvent(thrown, { environment: flags.env }));
    throw thrown;
  } finally {
    stream.close();
  }
}

/** What is to be applied in a session. */
export type AppliedInput = Omit<ApplyInput, 'file' | 'environment'>;

/** What an apply works with. */
export interface ApplyParts {
  readonly terminal: Terminal;
  readonly session: Session;
  readonly flags: DensityFlags & ConfirmFlags & LockFlags & RunPageFlags & { readonly failFast?: boolean };
  readonly stream: EventStream;
}

/** Computes, shows, confirms and executes a change set in an open session; prints the addresses at the end. */
export async function applySession(parts: ApplyParts, input: AppliedInput): Promise<ExitCode> {
  const { terminal, session, flags, stream } = parts;
  if (input.saved !== undefined) {
    const { plan, target } = session;
    checkFiles(input.saved, { plan: plan.digest, files: plan.files });
    const { lock } = await openState(session.place);
    const lineage = lock === undefined ? {} : { lineage: lock.lineage };
    checkOrigin(input.saved, { target, engine: packageVersion(), ...lineage });
  }
  // No lineage begins at an address where the service is not.
  await session.service.recognise();
  await requireWriting(session, 'to begin');
  const run = await openRunSession(session, terminal, flags);
  try {
    for (const notice of run.state.notices) printNote(terminal, notice);
    const changeSet = await withHeartbeat(
      terminal,
      'Reading the platform',
      currentChangeSet(session, run, input),
    );
    if (stream.isRead) stream.emit({ type: 'change-set', changeSet: changeSetJson(changeSet) });
    const { colour } = terminal.err;
    printNote(terminal, changeSetText(changeSet, { colour, density: densityOf(flags) }));
    if (isDone(changeSet)) {
      const isDoubtful = await lookAgain(parts, run, input.savedAs);
      return await finish(parts, run, isDoubtful ? EXIT.undecided : exitDone(changeSet, input));
    }
    refuseBlocked(changeSet);
    await refuseUnready(session, run, changeSet);
    if (terminal.interruption.signal.aborted) throw new Interrupted();
    await requireWriting(session, changeSet.steps);
    const { name, protected: guarded } = session.plan.environment;
    const irreversible = countIrreversible(changeSet.changes);
    await confirmApply({ environment: name, protected: guarded, irreversible }, flags, terminal);
    const exit = await executeRun(parts, run, { ...input, changeSet });
    return await finish(parts, run, exit === EXIT.done ? exitDone(changeSet, input) : exit);
  } finally {
    await run.close();
  }
}

/** Nothing is written before everything is there that its steps need. @throws CHANGE_UNREADY with all that is not */
async function refuseUnready(
  { service, plan }: Session,
  run: RunSession,
  changeSet: ChangeSet,
): Promise<void> {
  const faults = await service.unreadiness(needsOf(changeSet, plan, run.state.state.openAttempts));
  if (faults.length > 0) throw new WindlassError('CHANGE_UNREADY', faults.join(' '));
}

async function currentChangeSet(
  session: Session,
  run: RunSession,
  { selection, forget, refreshOnly, saved }: AppliedInput,
): Promise<ChangeSet> {
  const { state } = run.state;
  const fresh = await preview({
    plan: session.plan,
    state,
    abilities: session.abilities,
    service: session.service,
    selection: saved === undefined ? selection : selectionNow(saved, state),
    forget,
    refreshOnly,
    strangers: run.state.strangers,
  });
  return saved === undefined ? fresh : admitSaved(saved, fresh, state);
}

async function executeRun(
  parts: ApplyParts,
  run: RunSession,
  { changeSet, saved, savedAs }: Pick<AppliedInput, 'saved' | 'savedAs'> & { readonly changeSet: ChangeSet },
): Promise<ExitCode> {
  const { terminal, session, stream, flags } = parts;
  const { state } = run.state;
  const open = state.openAttempts;
  const progress = showProgress(terminal.err, changeSet, (heartbeat) =>
    stream.emit(heartbeat as unknown as Json),
  );
  const release = terminal.interruption.hold();
  const page = await openRunPage(flags, terminal, {
    ...pageParts(session, state, savedAs),
    steps: changeSet.steps,
  });
  try {
    const result = await execute({
      plan: session.plan,
      changeSet,
      state,
      abilities: session.abilities,
      ports: run.ports,
      pace: session.pace,
      target: session.target,
      ids: { run: run.run, lineage: state.lock?.lineage ?? run.run },
      engineVersion: packageVersion(),
      failFast: flags.failFast === true,
      explained: await explainedBy(run),
      ...(saved !== undefined && { saved: savedDigest(saved) }),
      signal: terminal.interruption.signal,
      observe: (event) => {
        page.changed();
        stream.emit(event as unknown as Json);
        terminal.tracing?.observe(event);
        progress.observe(event);
      },
    });
    progress.end();
    const { colour } = terminal.err;
    const view = progress.view();
    printNote(terminal, resultText(result.result, { colour, view, tookMs: progress.tookMs() }));
    const ended = { result, outdated: outdatedResources(open, changeSet.changes, state) };
    return exitOfRun(ended, state, tellRunEnd(parts, state, ended));
  } finally {
    progress.end();
    await run.writeLockfile();
    await page.end();
    release();
  }
}

/** Tells the result when it stands where it is kept: for a state in Git, in the remote. */
async function finish({ terminal, stream }: ApplyParts, run: RunSession, exit: ExitCode): Promise<ExitCode> {
  await run.close();
  const { lock } = run.state;
  const addresses = lock === undefined ? new Map<never, string>() : addressesOf(lock);
  const resources = lock?.entries.size ?? 0;
  stream.emit({ type: 'result', exit, resources, addresses: Object.fromEntries(addresses) });
  if (!stream.onStdout && addresses.size > 0) printResult(terminal, addressTable(addresses));
  return exit;
}

/** With `--refresh-only`, drift that the lock did not take is still there. */
function exitDone({ changes }: ChangeSet, { refreshOnly }: AppliedInput): ExitCode {
  const left = changes.some(({ drift, adopt }) => drift.length > 0 && adopt === undefined);
  return refreshOnly && left ? EXIT.drift : EXIT.done;
}

/** In CI a local journal dies with the machine, and with it the knowledge of what was sent. */
function refuseEphemeral(session: Session, flags: ApplyFlags, { env }: Terminal): void {
  const { name, state } = session.plan.environment;
  if (name === LOCAL || state !== undefined || !isSet(env['CI']) || flags.ephemeralJournal) return;
  throw new WindlassError('JOURNAL_EPHEMERAL', `Applying to ${name} from CI would leave its journal behind.`);
}
