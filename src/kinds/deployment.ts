import { textMember, type JsonObject } from '../model/json.js';
import { contractsOf } from './deployment-claim.js';
import type { Abilities, Kind } from './kind.js';
import { walletLane } from './knowledge.js';
import { textList } from './listing.js';
import type { Known, Operation } from './operation.js';
import { judgeDeployment, proveDeployment } from './deployment-proof.js';
import { prepareDeployment, requestDeployment } from './deployment-request.js';

/**
 * A group of contracts that one wallet deploys from one version, in one request where that is possible. It has no
 * state of its own: its contracts have.
 */
export const deployment: Kind<'deployment'> = {
  name: 'deployment',
  verb: 'deploy',
  irreversible: true,
  isExisting: () => true,
  comparable: () => ({}),
  observe: () => [],
  seen: () => ({ sight: 'not-asked' }),
  differs: () => ({ action: 'blocked', reason: 'a deployment has no inputs of its own' }),
  provable: () => true,
  operation: () => 'contract.deploy',
  lane: ({ inputs }) => walletLane(inputs.wallet.address),
};

/** Deploys one contract, or several of one deployment in one request. */
export const deployContracts: Operation = {
  prepare: prepareDeployment,
  request: requestDeployment,
  accept: (result) => {
    const id = textMember(result, 'deployment_id');
    return id === undefined ? undefined : { deploymentId: id };
  },
  proofs: proveDeployment,
  judge: judgeDeployment,
  isBlind: isNeverListed,
  bars: sharedNonce,
};

/**
 * A request whose answer was lost and that has a contract without events: where instances are not listed and nothing was
 * predicted, the version never shows that contract, nor whose an error is.
 */
function isNeverListed({ outcome, context }: Known, { capabilities, chain }: Abilities): boolean {
  const isPredicted = chain && textList(context['predicted']).size > 0;
  if (outcome === 'accepted' || capabilities.has('instances') || isPredicted) return false;
  return contractsOf(context).some(({ events }) => !events);
}

/** One nonce, one contract: code at an address that two attempts predicted would prove either. */
function sharedNonce(context: JsonObject, other: JsonObject): string | undefined {
  const predicted = textList(other['predicted']);
  const isShared = [...textList(context['predicted'])].some((address) => predicted.has(address));
  return isShared ? 'it may still use the next nonce of the wallet that signs' : undefined;
}
