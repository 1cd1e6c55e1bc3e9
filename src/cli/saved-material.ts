import { openState } from '../disk/state-folder.js';
import { WindlassError } from '../model/error.js';
import type { PageMaterial } from '../report/page-material.js';
import type { SavedChangeSet } from '../report/saved-change-set.js';
import { readApplyInput } from './apply-input.js';
import { readMaterial } from './page-material.js';
import { requirePlan } from './plan-file.js';
import { PlanMistakes } from './plan-mistakes.js';
import { pinnedPlan, placeOf } from './session.js';
import type { Terminal } from './terminal.js';

const NO_FLAGS = { target: [], exclude: [], replace: [] };

/**
 * What the page of a saved change set shows beside it: sources and pictures, from the files beside it as long as they
 * have the digests that it names. Otherwise the page says why it shows none. Asks nobody.
 */
export async function savedMaterial(
  named: string,
  saved: SavedChangeSet,
  place: Pick<Terminal, 'cwd' | 'env'>,
  asked: 'everything' | 'sources',
): Promise<Pick<PageMaterial, 'sources' | 'rows' | 'lack'>> {
  try {
    const { file, environment } = await readApplyInput(named, NO_FLAGS, place);
    const plan = await pinnedPlan(await requirePlan(file, environment, () => undefined), file, 'offline');
    const { state } = await openState(placeOf(file, plan.environment, true));
    const parts = { plan, folder: file.folder, state, service: undefined };
    return await readMaterial(saved.changeSet, parts, asked);
  } catch (thrown) {
    if (!(thrown instanceof WindlassError || thrown instanceof PlanMistakes)) throw thrown;
    return { lack: `Sources and pictures are left out, because they are not at hand: ${thrown.message}` };
  }
}
