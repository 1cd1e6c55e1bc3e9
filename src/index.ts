/**
 * The library. A program composes it as the command line does: load a plan, open the doors it needs (or bring its own
 * ports), preview, apply, verify.
 */
export { apply, preview, verify, type Applying, type Sightseeing } from './engine.js';
export { loadPlan, type PlanInput } from './plan/load.js';
export type { PlanFiles } from './plan/files.js';
export { planFilesIn } from './disk/sources.js';
export type { StateFolder } from './disk/known-state.js';
export { openState } from './disk/state-folder.js';
export { openRun, type RunState } from './disk/run-state.js';
export { openAttemptTokens, type AttemptTokens } from './disk/attempt-tokens.js';
export { openService, type OpenService, type ServiceOptions } from './remote/service.js';
export { openInbox, type InboxOptions, type OpenInbox } from './remote/inbox.js';
export type { Clock, Inbox, Journal, Ports, Service, WriteAnswer } from './execute/ports.js';
export { localPace, REMOTE_PACE, type Pace } from './execute/pace.js';
export type { Observer, Progress, RunResult, StepReport } from './execute/result.js';
export type { Verification } from './execute/verify.js';
export type { Abilities } from './kinds/kind.js';
export type { ReadAnswer, ReadRequest, WriteRequest } from './kinds/operation.js';
export type { Change, ChangeSet, PlannedStep } from './model/change.js';
export type { Checked, Diagnostic } from './model/diagnostic.js';
export { WindlassError } from './model/error.js';
export { ERROR_CODES, EXIT, type ErrorCode, type ExitCode } from './model/error-codes.js';
export type { Plan } from './model/plan.js';
export type { JournalEvent, Outputs, Target } from './state/event.js';
export type { Lock, LockEntry } from './state/lock.js';
export { LineageState } from './state/project.js';
