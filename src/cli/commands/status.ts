import { findHolder } from '../../disk/run-holder.js';
import { describeHolder } from '../../disk/run-lock.js';
import { openState } from '../../disk/state-folder.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { releaseName } from '../../plan/release-name.js';
import { escapeTerminal } from '../../report/escape.js';
import { statusJson, statusOf, statusText, type Status } from '../../report/status.js';
import { findPlan, planText } from '../plan-file.js';
import { sentenceAt } from '../failure.js';
import { drawRun } from '../run-page.js';
import { commandPlace, findPlace } from '../session.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** Shows the last run and what it left, from the files beside the plan alone. Exit 8 or 7 when it left something. */
export async function status(
  terminal: Terminal,
  named: string | undefined,
  flags: { readonly env?: string; readonly format: 'text' | 'json' | 'html' },
): Promise<ExitCode> {
  const file = await findPlan(named, terminal);
  const place = await findPlace(file, flags.env);
  const state = await openState(place);
  const held = await findHolder(place);
  const commands = commandPlace(named, flags.env);
  const found = statusOf(state.state, commands);
  for (const notice of state.notices) printNote(terminal, notice);
  if (held !== undefined) printNote(terminal, `${escapeTerminal(describeHolder(held.holder))}.`);
  const writers = {
    text: () => sentenceAt(statusText(found, { colour: terminal.out.colour }), commands),
    json: () => JSON.stringify(statusJson(found), null, 2),
    html: async () => {
      const release = releaseName(await planText(file)) ?? file.name;
      return drawRun({ release, place: commands, state: state.state });
    },
  };
  printResult(terminal, await writers[flags.format]());
  return exitCodeOf(found);
}

function exitCodeOf(found: Status | undefined): ExitCode {
  const steps = found?.steps ?? [];
  if (steps.some((step) => step.state === 'undecided')) return EXIT.undecided;
  return steps.some((step) => step.state === 'open' || step.state === 'failed') ? EXIT.incomplete : EXIT.done;
}
