import type { DeployWallet, LocalSigner } from '../model/resource.js';
import type { Drafting, Edge } from './draft.js';
import { child, keySpanOf, textOf, type PlanNode, type Span } from './node.js';
import { readParty } from './party.js';
import { secretPath, secretSource } from './reach.js';

/** Reads the wallet of a deployment, its local signer included; mistakes are reported, undefined then. `at` is its key. */
export function readDeployWallet(
  node: PlanNode,
  at: Span,
  drafting: Drafting,
  edges: Edge[],
): DeployWallet | undefined {
  const named = namedBy(node, at, drafting);
  const address = readParty(named, ['wallet'], drafting, edges);
  const type = textOf(child(node, 'type'));
  if (type === 'organisation' || type === 'end_user') {
    reportSigner(node, type, drafting);
    return address === undefined ? undefined : { type, address };
  }
  const signer = readSigner(node, drafting);
  if (type !== 'non_custodial' || address === undefined) return undefined;
  if (typeof address === 'string') return { type, address, ...(signer && { signer }) };
  const message = 'The address of a non-custodial wallet has to be known when planning.';
  drafting.problems.report({ code: 'PLAN_PLACEHOLDER_PLACE', at: (named ?? node).span, message });
  return undefined;
}

/** The node that names the wallet: `use` or `address`, whichever stands alone. */
function namedBy(node: PlanNode, at: Span, { problems }: Drafting): PlanNode | undefined {
  const use = child(node, 'use');
  const literal = child(node, 'address');
  if (node.type !== 'map' || (use === undefined) !== (literal === undefined)) return use ?? literal;
  const message = 'A deploying wallet is named by `use` or by `address`, by exactly one of them.';
  problems.report({ code: use ? 'PLAN_SCHEMA' : 'PLAN_MISSING_KEY', at, message });
  return undefined;
}

function reportSigner(node: PlanNode, type: string, { problems }: Drafting): void {
  const at = keySpanOf(node, 'signer');
  if (at === undefined) return;
  const message = `The service signs for ${type} wallets; \`signer\` belongs to non_custodial ones.`;
  problems.report({ code: 'PLAN_SCHEMA', at, message });
}

function readSigner(wallet: PlanNode, drafting: Drafting): LocalSigner | undefined {
  const node = child(wallet, 'signer');
  const at = keySpanOf(wallet, 'signer');
  if (at === undefined) return undefined;
  const keystore = secretPath(child(node, 'keystore'), drafting);
  const password = secretSource(child(node, 'password'), drafting);
  const key = secretSource(child(node, 'key'), drafting);
  if (keystore !== undefined && password !== undefined && key === undefined) {
    return { keystore, password: { $secret: password } };
  }
  if (key !== undefined && keystore === undefined && password === undefined) return { key: { $secret: key } };
  const message = 'A signer is either `keystore` with `password`, or `key`.';
  drafting.problems.report({ code: 'PLAN_SCHEMA', at, message });
  return undefined;
}
