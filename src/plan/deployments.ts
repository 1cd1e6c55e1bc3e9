import { resourceId, type ResourceId } from '../model/id.js';
import type { InputsOf } from '../model/resource.js';
import { readDeployWallet } from './deploy-wallet.js';
import { declare, type Drafting, type Edge } from './draft.js';
import { readInstance } from './instances.js';
import { suggestName } from './nearest.js';
import { child, entriesOf, keySpanOf, scalarOf, textOf, type Entry, type PlanNode } from './node.js';
import { orderMembers, type OrderGroup } from './order.js';
import type { LoadedVersion } from './projects.js';
import { readPlainText } from './text.js';

/** Declares deployments and their contracts; checks contracts and parameters against the sources. */
export async function readDeployments(
  document: PlanNode,
  versions: ReadonlyMap<string, LoadedVersion>,
  drafting: Drafting,
): Promise<readonly OrderGroup[]> {
  const groups: OrderGroup[] = [];
  for (const entry of entriesOf(child(document, 'deployments'))) {
    groups.push(await readDeployment(entry, versions, drafting));
  }
  return groups;
}

async function readDeployment(
  { key: name, keySpan: at, value }: Entry,
  versions: ReadonlyMap<string, LoadedVersion>,
  drafting: Drafting,
): Promise<OrderGroup> {
  const edges: Edge[] = [];
  const loaded = versionOf(child(value, 'version'), versions, drafting, edges);
  const walletNode = child(value, 'wallet');
  const walletAt = keySpanOf(value, 'wallet') ?? at;
  const wallet = walletNode && readDeployWallet(walletNode, walletAt, drafting, edges);
  const needsSigned = wallet?.type === 'non_custodial' && child(walletNode, 'signer') === undefined;
  const id = resourceId('deployment', name);
  const frame = { id, version: loaded?.id, loaded, wallet, edges, needsSigned };
  const contracts: ResourceId[] = [];
  const group: OrderGroup[number][] = [];
  for (const entry of entriesOf(child(value, 'contracts'))) {
    const contract = resourceId('contract', `${name}.${entry.key}`);
    group.push(...orderMembers(contract, entry.value));
    if (child(entry.value, 'address') === undefined) contracts.push(contract);
    await readInstance(contract, entry, frame, drafting);
  }
  if (loaded !== undefined && wallet !== undefined) {
    const mode = textOf(child(value, 'deploy')) === 'single' ? 'single' : 'batch';
    const inputs: InputsOf['deployment'] = { version: loaded.id, wallet, mode, contracts };
    declare(drafting, { id, kind: 'deployment', inputs, edges, at });
  }
  return group;
}

function versionOf(
  node: PlanNode | undefined,
  versions: ReadonlyMap<string, LoadedVersion>,
  drafting: Drafting,
  edges: Edge[],
): LoadedVersion | undefined {
  const scalar = scalarOf(node);
  const name = scalar && readPlainText(scalar, drafting);
  if (scalar === undefined || name === undefined) return undefined;
  const loaded = versions.get(name);
  if (loaded !== undefined) {
    edges.push({ to: loaded.id, at: scalar.span });
    return loaded;
  }
  const message = `No version "${name}" is declared under projects.`;
  const fix = suggestName(name, [...versions.keys()]);
  drafting.problems.report({ code: 'PLAN_UNKNOWN_REFERENCE', at: scalar.span, message, ...(fix && { fix }) });
  return undefined;
}
