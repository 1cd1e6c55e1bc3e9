import type { UnsettledStep } from '../model/change.js';
import { isUnsettled } from '../state/attempt.js';
import type { LineageState } from '../state/project.js';

/**
 * The steps of earlier runs that a person may have to settle: given up without proof, or with a sign of an effect that
 * contradicts what is known. A change set names them, so that "nothing to do" never stands for "all is well".
 */
export function unsettledSteps(state: LineageState): readonly UnsettledStep[] {
  return state.unprovenAttempts.filter(isUnsettled).map(({ step, resources, contradicted }) => ({
    step,
    resources,
    state: contradicted === 'duplicate' ? 'duplicate' : 'undecided',
  }));
}

/** The member of a change set that names them; none when there is nothing to name. */
export function unsettledMember(state: LineageState): {
  readonly unsettled?: readonly UnsettledStep[];
} {
  const unsettled = unsettledSteps(state);
  return unsettled.length === 0 ? {} : { unsettled };
}
