import { resourceId, type ResourceId } from '../model/id.js';
import type { InputsOf } from '../model/resource.js';
import type { Personal, Secret } from '../model/value.js';
import { declare, type Drafting } from './draft.js';
import type { WalletEntries } from './names.js';
import { child, scalarOf, type PlanNode } from './node.js';
import { secretSource } from './reach.js';
import { readPlainText } from './text.js';

/** Declares the wallets of the environment, existing and to be created. */
export function readWallets(wallets: WalletEntries, drafting: Drafting): void {
  for (const [key, { entry, definition }] of wallets) {
    const id = resourceId('wallet', key);
    const inputs = walletInputs(id, definition, drafting);
    if (inputs === undefined) continue;
    declare(drafting, { id, kind: 'wallet', inputs, edges: [], at: entry.keySpan });
  }
}

function walletInputs(
  id: ResourceId,
  definition: PlanNode,
  drafting: Drafting,
): InputsOf['wallet'] | undefined {
  const create = child(definition, 'create');
  if (create === undefined) {
    const address = drafting.names.byId(id)?.address;
    return address === undefined ? undefined : { address };
  }
  const name = personal(child(create, 'name'), drafting);
  const email = personal(child(create, 'email'), drafting);
  const ic = personal(child(create, 'ic'), drafting);
  return name === undefined || email === undefined || ic === undefined ? undefined : { name, email, ic };
}

function personal(node: PlanNode | undefined, drafting: Drafting): Secret | Personal | undefined {
  const source = secretSource(node, drafting);
  if (source !== undefined) return { $secret: source };
  const scalar = scalarOf(node);
  const text = scalar && readPlainText(scalar, drafting);
  return text === undefined ? undefined : { $personal: text };
}
