import { namesOfOtherLineages } from '../disk/other-lineages.js';
import { lookForRepeats } from '../engine.js';
import { mayRepeatSince } from '../execute/pace.js';
import { escapeTerminal } from '../report/escape.js';
import { otherText } from '../report/verification.js';
import { SYSTEM_CLOCK } from './clock.js';
import type { ApplyParts } from './commands/apply.js';
import { tellDoubts } from './run-end.js';
import { openRunPage, pageParts } from './run-page.js';
import type { RunSession } from './run-session.js';
import { recorderOf } from './state-session.js';
import { printNote } from './terminal.js';

/**
 * What an apply does where the change set asks for nothing: it looks for effects that no step explains, writes the
 * lockfile and the page of the run.
 *
 * @returns whether a step is undecided or took effect twice
 */
export async function lookAgain(
  parts: ApplyParts,
  run: RunSession,
  savedAs: string | undefined,
): Promise<boolean> {
  const { terminal, session, flags, stream } = parts;
  const { state } = run.state;
  const { abilities, service } = session;
  const recorder = recorderOf(session, run.state);
  const sentSince = mayRepeatSince(session.pace, SYSTEM_CLOCK.nowMs());
  const explained = await explainedBy(run);
  for (const other of await lookForRepeats(
    { state, recorder, abilities, service, sentSince, explained },
    true,
  )) {
    printNote(terminal, escapeTerminal(`note: ${otherText(other)}`));
    stream.emit({ type: 'other-found', ...other });
  }
  await run.writeLockfile();
  const { html } = flags;
  if (html !== undefined)
    await (await openRunPage({ html }, terminal, pageParts(session, state, savedAs))).end();
  return tellDoubts(parts, state);
}

/** What other lineages beside the plan made. */
export function explainedBy({ state }: RunSession): Promise<ReadonlySet<string>> {
  return namesOfOtherLineages(state.paths, state.lock?.lineage);
}
