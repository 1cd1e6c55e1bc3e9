import { openState } from '../../disk/state-folder.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { addressesOf, outputsEnv, outputsJson, outputsTs } from '../../report/outputs.js';
import { findPlan } from '../plan-file.js';
import { findPlace } from '../session.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** Forms of `outputs`. */
export type OutputsFormat = 'json' | 'env' | 'ts';

/** Prints the locked addresses for the next tool, from the files beside the plan alone. */
export async function outputs(
  terminal: Terminal,
  named: string | undefined,
  flags: { readonly env?: string; readonly format: OutputsFormat },
): Promise<ExitCode> {
  const place = await findPlace(await findPlan(named, terminal.cwd), flags.env);
  const state = await openState(place);
  for (const notice of state.notices) printNote(terminal, notice);
  const addresses = state.lock === undefined ? new Map<never, string>() : addressesOf(state.lock);
  if (addresses.size === 0)
    printNote(terminal, `Nothing with an address is locked for ${place.environment} yet.`);
  const writers = {
    json: () => JSON.stringify(outputsJson(addresses), null, 2),
    env: () => outputsEnv(addresses),
    ts: () => outputsTs(addresses),
  };
  printResult(terminal, writers[flags.format]());
  return EXIT.done;
}
