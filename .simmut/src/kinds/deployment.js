import { textMember } from '../model/json.js';
import { walletLane } from './knowledge.js';
import { judgeDeployment, proveDeployment } from './deployment-proof.js';
import { prepareDeployment, requestDeployment } from './deployment-request.js';
/**
 * A group of contracts that one wallet deploys from one version, in one request where that is possible. It has no
 * state of its own: its contracts have.
 */
export const deployment = {
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
export const deployContracts = {
    prepare: prepareDeployment,
    request: requestDeployment,
    accept: (result) => {
        const id = textMember(result, 'deployment_id');
        return id === undefined ? undefined : { deploymentId: id };
    },
    proofs: proveDeployment,
    judge: judgeDeployment,
};
