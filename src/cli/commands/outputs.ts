import { unsettledSteps } from '../../diff/unsettled.js';
import { openState } from '../../disk/state-folder.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { escapeTerminal } from '../../report/escape.js';
import { addressesOf, outputsEnv, outputsJson, outputsTs } from '../../report/outputs.js';
import { findPlan } from '../plan-file.js';
import { findPlace } from '../session.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** Steps that are named. */
const MOST_NAMED = 5;

/** Forms of `outputs`. */
export type OutputsFormat = 'json' | 'env' | 'ts';

/** Prints the locked addresses for the next tool, from the files beside the plan alone. */
export async function outputs(
  terminal: Terminal,
  named: string | undefined,
  flags: { readonly env?: string; readonly format: OutputsFormat },
): Promise<ExitCode> {
  const place = await findPlace(await findPlan(named, terminal), flags.env);
  const state = await openState(place);
  for (const notice of state.notices) printNote(terminal, notice);
  const addresses = state.lock === undefined ? new Map<never, string>() : addressesOf(state.lock);
  if (addresses.size === 0)
    printNote(terminal, `Nothing with an address is locked for ${place.environment} yet.`);
  const unsettled = unsettledSteps(state.state);
  if (unsettled.length > 0) {
    const named = unsettled.slice(0, MOST_NAMED).map(({ step }) => step);
    const rest = unsettled.length > named.length ? ` and ${unsettled.length - named.length} more` : '';
    const words = `Not settled: ${named.join(', ')}${rest}; an address may have a twin, or be missing. See windlass status.`;
    printNote(terminal, escapeTerminal(words));
  }
  const writers = {
    json: () => JSON.stringify(outputsJson(addresses), null, 2),
    env: () => outputsEnv(addresses),
    ts: () => outputsTs(addresses),
  };
  printResult(terminal, writers[flags.format]());
  return EXIT.done;
}
