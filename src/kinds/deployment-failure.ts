import type { ResourceId } from '../model/id.js';
import { textMember, type JsonObject } from '../model/json.js';
import type { Outputs } from '../state/event.js';
import { callbackAbout, claimedContracts, contractsOf } from './deployment-claim.js';
import type { Shown } from './deployment-reads.js';
import type { CallbackHint, Known, Verdict } from './operation.js';
import { sameAddress } from './receipt.js';

/**
 * The verdict on a deployment whose contracts are not all there: failed when the version shows an error that it did not
 * show before and the error is this deployment's (its callback says the same, or no other request was under way, or the
 * horizon passed); undefined while that is open. A callback alone is believed only after the horizon, because a forged
 * failure would cause a second deployment (reliability §5).
 *
 * @param outputs contracts that are there all the same
 */
export function failedDeployment(
  known: Known,
  shown: Shown,
  outputs: Readonly<Record<ResourceId, Outputs>>,
): Extract<Verdict, { type: 'failed' }> | undefined {
  const hint = callbackAbout(known, 'failed');
  const error = newError(known, shown.detail, hint);
  const early = error !== undefined && isEarly(known, hint, error) && !isIncomplete(known, shown, outputs);
  const atLast = known.late && (error !== undefined || (hint !== undefined && isUntouched(known, shown)));
  if (!(early || atLast) || canHide(known, shown, outputs)) return undefined;
  const message = textMember(hint?.facts, 'message') ?? error ?? 'the service reported a failure';
  return { type: 'failed', grade: 'B', message, outputs };
}

/** True when a contract of a batch may be there and no read shows it: saying that it failed would deploy it again. */
function canHide(
  { context }: Known,
  { whole }: Shown,
  outputs: Readonly<Record<ResourceId, Outputs>>,
): boolean {
  const contracts = contractsOf(context);
  return (
    !whole && contracts.length > 1 && contracts.some(({ id, events }) => !events && outputs[id] === undefined)
  );
}

/**
 * True when the version is readable and nothing of this deployment is there: its own list is empty, or without one there is
 * neither a new instance nor a deployment since the request. What moved the version beside its own list was another's.
 */
function isUntouched(known: Known, { detail, instances, scoped }: Shown): boolean {
  const deployedAt = textMember(detail, 'last_deployed_at') ?? null;
  const moved = deployedAt !== known.context['deployedBefore'];
  return detail !== undefined && instances.length === 0 && (scoped || !moved);
}

/** The version's error, when it was not there before. The same text may come twice: that the version moved tells it only together with our callback. */
export function newError(
  known: Known,
  detail: JsonObject | undefined,
  hint: CallbackHint | undefined,
): string | undefined {
  const error = textMember(detail, 'latest_error') ?? '';
  if (known.outcome !== 'accepted' || error === '') return undefined;
  if (error !== known.context['errorBefore']) return error;
  const updatedAt = textMember(detail, 'updated_at') ?? null;
  return hint !== undefined && updatedAt !== known.context['updatedBefore'] ? error : undefined;
}

/**
 * True when the version's error is this deployment's before the horizon: no other request was under way, or its callback
 * says so in the same words. Other words may be forged while the error is another request's.
 */
function isEarly(known: Known, hint: CallbackHint | undefined, error: string): boolean {
  const isOurs = textMember(hint?.facts, 'message') === error || !hasRival(known);
  return isOurs && isWhole(known, hint);
}

/** True when nothing of the request can be on its way into the lists: it was for one contract, or its callback names what is there. */
function isWhole({ context }: Known, hint: CallbackHint | undefined): boolean {
  return contractsOf(context).length === 1 || Array.isArray(hint?.facts['deployed_contract_addresses']);
}

/** True while a callback names contracts that the platform does not show yet: they would be deployed twice. */
function isIncomplete(
  known: Known,
  { instances }: Shown,
  outputs: Readonly<Record<ResourceId, Outputs>>,
): boolean {
  return contractsOf(known.context)
    .filter(({ id }) => outputs[id] === undefined)
    .flatMap(({ artifact }) => claimedContracts(known, artifact))
    .some((claim) => !instances.some(({ address }) => sameAddress(address, claim.address)));
}

function hasRival(known: Known): boolean {
  return known.rivals().some(({ context }) => context['versionSlug'] === known.context['versionSlug']);
}
