import type { Module } from '../handler.js';
import {
  accountNonce,
  chainId,
  compilerVersions,
  gasPrice,
  transactionDetail,
  transactionReceipt,
} from './chain-reads.js';
import { deployVersion, INSTANCE_SUBJECT } from './deploy.js';
import { deployEncode, estimateGas, executeEncode, simulateTransaction } from './estimates.js';
import { instanceDetail, listInstances } from './instances.js';
import { callInstance, executeInstance, EXECUTION_SUBJECT, settleExecution } from './interaction.js';
import { createProject, listProjects, projectDetail, updateProject } from './projects.js';
import { settleInstance } from './settle-instance.js';
import { CONTRACT_TABLES } from './tables.js';
import { createVersion, listVersions, updateVersion, versionDetail } from './versions.js';

/** Projects, contract versions, their deployment, and what the chain says of it. */
export const CONTRACTS: Module = {
  tables: CONTRACT_TABLES,
  handlers: {
    'project.list': listProjects,
    'project.detail': projectDetail,
    'project.create': createProject,
    'project.update': updateProject,
    'version.list': listVersions,
    'version.detail': versionDetail,
    'version.create': createVersion,
    'version.update': updateVersion,
    'version.deploy': deployVersion,
    'instance.list': listInstances,
    'instance.detail': instanceDetail,
    'instance.call': callInstance,
    'instance.execute': executeInstance,
    'transaction.detail': transactionDetail,
    'transaction.receipt': transactionReceipt,
    'account.nonce': accountNonce,
    'utils.chain-id': chainId,
    'utils.gas-price': gasPrice,
    'utils.compiler-versions': compilerVersions,
    'utils.deploy-encode': deployEncode,
    'utils.execute-encode': executeEncode,
    'utils.estimate-gas': estimateGas,
    'utils.simulate-transaction': simulateTransaction,
  },
  start: (context) => {
    context.transactions.onSettled(INSTANCE_SUBJECT, settleInstance(context));
    context.transactions.onSettled(EXECUTION_SUBJECT, settleExecution);
  },
};
