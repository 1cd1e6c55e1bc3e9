import { resourceId, type ResourceId } from '../model/id.js';
import type { AddressInput, InputsOf } from '../model/resource.js';
import { declare, type Drafting, type Edge } from './draft.js';
import { child, entriesOf, integerOf, scalarOf, type Entry, type PlanNode, type Span } from './node.js';
import { readParty } from './party.js';
import { readPlainText } from './text.js';

/** A certificate contract as batches and transfers need it. */
export interface CertificateContract {
  readonly id: ResourceId;
  /** Undefined when it could not be read; reported then. */
  readonly owner: AddressInput | undefined;
  /** The owner as a dependency. */
  readonly ownerEdges: readonly Edge[];
  /** Undefined: unlimited. */
  readonly maxSupply?: { readonly count: number; readonly at: Span };
}

/** Declares certificate contracts; gives them by id. */
export function readCertificateContracts(
  document: PlanNode,
  drafting: Drafting,
): ReadonlyMap<ResourceId, CertificateContract> {
  const entries = entriesOf(child(document, 'certificates', 'contracts'));
  return new Map(
    entries.map((entry) => {
      const contract = readContract(entry, drafting);
      return [contract.id, contract];
    }),
  );
}

function readContract({ key, keySpan: at, value }: Entry, drafting: Drafting): CertificateContract {
  const id = resourceId('certificate-contract', key);
  const ownerEdges: Edge[] = [];
  const owner = readParty(child(value, 'owner'), ['wallet'], drafting, ownerEdges);
  const edges: Edge[] = [];
  const inputs = contractInputs(id, { key, keySpan: at, value }, owner, { drafting, edges });
  if (inputs !== undefined) {
    declare(drafting, { id, kind: 'certificate-contract', inputs, edges: [...edges, ...ownerEdges], at });
  }
  const supplyNode = child(value, 'max_supply');
  const count = integerOf(supplyNode) ?? 0;
  const maxSupply = count > 0 && supplyNode !== undefined ? { count, at: supplyNode.span } : undefined;
  return { id, owner, ownerEdges, ...(maxSupply && { maxSupply }) };
}

function contractInputs(
  id: ResourceId,
  { key, keySpan, value }: Entry,
  owner: AddressInput | undefined,
  { drafting, edges }: { readonly drafting: Drafting; readonly edges: Edge[] },
): InputsOf['certificate-contract'] | undefined {
  const address = drafting.names.byId(id)?.address;
  if (address !== undefined) return owner === undefined ? undefined : { address, owner };
  for (const needed of ['deployer', 'name', 'symbol'].filter((one) => child(value, one) === undefined)) {
    const message = `"${key}" needs the key "${needed}", unless it exists already and has \`address\`.`;
    drafting.problems.report({
      code: 'PLAN_MISSING_KEY',
      at: keySpan,
      message,
      fix: `Add "${needed}:" here.`,
    });
  }
  const deployer = readParty(child(value, 'deployer'), ['wallet'], drafting, edges);
  const [name, symbol] = ['name', 'symbol'].map((one) => {
    const node = scalarOf(child(value, one));
    return node && readPlainText(node, drafting);
  });
  if (owner === undefined || deployer === undefined || name === undefined || symbol === undefined)
    return undefined;
  const maxSupply = integerOf(child(value, 'max_supply')) ?? 0;
  return { nickname: key, name, symbol, deployer, owner, maxSupply };
}
