import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PlannedStep } from '../model/change.js';
import { doubtsOf, type CommandPlace } from '../report/doubt.js';
import { runPageHtml } from '../report/run-page-html.js';
import { lastRunTimeline } from '../report/run-timeline.js';
import { commandLine } from '../report/shell-word.js';
import type { LineageState } from '../state/project.js';
import { SYSTEM_CLOCK } from './clock.js';
import { DEFAULT_PLAN } from './plan-file.js';
import { commandPlace, type Session } from './session.js';
import { printNote, type Terminal } from './terminal.js';

/** Flags that ask for the page of a run. */
export interface RunPageFlags {
  /** File that the page is written to when the run ended. */
  readonly html?: string;
  /** Serve it while the run goes on. */
  readonly ui?: boolean;
}

/** What a run's page is drawn from. */
export interface RunPageParts {
  /** Name of the release. */
  readonly release: string;
  readonly place: CommandPlace;
  /** Live. */
  readonly state: LineageState;
  readonly steps?: readonly PlannedStep[];
  /** The saved change set that was applied, as it was named. */
  readonly saved?: string;
}

/** The page of a run while it goes on. */
export interface RunPage {
  readonly changed: () => void;
  /** Ends the live page and writes the file. */
  readonly end: () => Promise<void>;
}

/** Opens what the flags ask for; nothing is loaded or opened when they ask for nothing. */
export async function openRunPage(
  flags: RunPageFlags,
  terminal: Terminal,
  parts: RunPageParts,
): Promise<RunPage> {
  const live = flags.ui ? await serve(terminal, parts) : undefined;
  return {
    changed: () => live?.changed(),
    end: async () => {
      await live?.end();
      if (flags.html !== undefined)
        await writeFile(resolve(terminal.cwd, flags.html), drawRun(parts), { mode: 0o600 });
    },
  };
}

/** What the page of a run in a session is drawn from. `saved`: the file of the change set that is applied, as it was named. */
export function pageParts(session: Session, state: LineageState, saved: string | undefined): RunPageParts {
  const { name: release } = session.plan;
  return { release, place: placeOfCommand(session), state, ...(saved !== undefined && { saved }) };
}

/** Where printed command lines of a session are meant to be run. */
export function placeOfCommand({ file, plan }: Session): CommandPlace {
  return commandPlace(file.shown === DEFAULT_PLAN ? undefined : file.shown, plan.environment.name);
}

/** The page of the last run as it is now. */
export function drawRun(parts: RunPageParts, script?: string): string {
  const { release, place, state, steps, saved } = parts;
  const { environment, plan } = place;
  const run = lastRunTimeline(state, steps);
  const applied = saved ?? plan;
  const words = ['windlass', 'apply', ...(applied === undefined ? [] : [applied])];
  const where = environment === 'local' || saved !== undefined ? [] : ['--env', environment];
  return runPageHtml(run, {
    title: `${release} on ${environment}`,
    nowMs: SYSTEM_CLOCK.nowMs(),
    resume: commandLine([...words, ...where]),
    doubts: doubtsOf(state, place),
    ...(script !== undefined && run?.result === 'running' && { script }),
  });
}

async function serve(
  terminal: Terminal,
  parts: RunPageParts,
): Promise<{ changed(): void; end(): Promise<void> }> {
  const [{ openLivePage }, { LIVE_SCRIPT }] = await Promise.all([
    import('./live-page.js'),
    import('./live-script.js'),
  ]);
  const live = await openLivePage(() => drawRun(parts, LIVE_SCRIPT));
  printNote(terminal, `The run is shown at ${live.url} while it goes on.`);
  return live;
}
