import type { ResourceId } from '../model/id.js';
import type { DeployWallet, FileInput, InputsOf } from '../model/resource.js';
import { declare, type Drafting, type Edge } from './draft.js';
import { refusalProblem } from './file-problems.js';
import { child, keySpanOf, scalarOf, type Entry, type PlanNode, type Span } from './node.js';
import { readInstanceParameters } from './parameters.js';
import type { Problem } from './problems.js';
import type { LoadedVersion } from './projects.js';
import { readContractName } from './solidity.js';
import { readPlainText } from './text.js';

/** Largest file with a signed transaction, in bytes. */
const MAX_SIGNED_BYTES = 1_000_000;
/** Least size: any signature alone takes more than this, and a private key less. */
const MIN_SIGNED_BYTES = 130;

/** What the instances of one deployment share. */
export interface DeploymentFrame {
  readonly id: ResourceId;
  readonly version: ResourceId | undefined;
  readonly loaded: LoadedVersion | undefined;
  readonly wallet: DeployWallet | undefined;
  /** To the version and the wallet. */
  readonly edges: readonly Edge[];
  /** True when each contract has to bring a transaction that was signed elsewhere. */
  readonly needsSigned: boolean;
}

/** Declares one contract of a deployment: existing, or to be deployed with its parameters. */
export async function readInstance(
  id: ResourceId,
  entry: Entry,
  frame: DeploymentFrame,
  drafting: Drafting,
): Promise<void> {
  const at = entry.keySpan;
  const kind = 'contract';
  const existing = drafting.names.byId(id)?.address;
  if (existing !== undefined) {
    declare(drafting, { id, kind, inputs: { address: existing }, edges: [], at });
    return;
  }
  const edges: Edge[] = [...frame.edges, { to: frame.id, at }];
  const inputs = await instanceInputs(entry, frame, drafting, edges);
  // Without its deployment the contract stays a node of the graph, so that a circle through it is found.
  declare(drafting, { id, kind, inputs: inputs ?? { address: '' }, edges, at });
}

async function instanceInputs(
  { key, keySpan: at, value }: Entry,
  frame: DeploymentFrame,
  drafting: Drafting,
  edges: Edge[],
): Promise<InputsOf['contract'] | undefined> {
  const contractNode = scalarOf(child(value, 'contract'));
  const written = contractNode === undefined ? key : (readPlainText(contractNode, drafting) ?? key);
  const named = readContractName(written);
  const signedNode = child(value, 'signed_trx');
  // A signed transaction carries its parameters already.
  const isSignedElsewhere = signedNode !== undefined || frame.needsSigned;
  const signedTransaction = await readSigned(signedNode, { needs: frame.needsSigned, at }, drafting);
  const instance = {
    contract: { ...named, at: contractNode?.span ?? at },
    params: child(value, 'params'),
    paramsAt: keySpanOf(value, 'params') ?? at,
    version: frame.loaded,
    isSigned: isSignedElsewhere,
  };
  const read = await readInstanceParameters(instance, drafting, edges);
  const { id: deployment, version, wallet } = frame;
  if (version === undefined || wallet === undefined) return undefined;
  const { name: contract } = named;
  return { deployment, version, wallet, contract, ...read, ...(signedTransaction && { signedTransaction }) };
}

async function readSigned(
  node: PlanNode | undefined,
  { needs, at }: { readonly needs: boolean; readonly at: Span },
  { files, problems }: Drafting,
): Promise<FileInput | undefined> {
  const fileNode = scalarOf(child(node, 'file'));
  if (fileNode === undefined) {
    if (needs && node === undefined) {
      const message = 'A non-custodial wallet without signer needs `signed_trx` for each contract.';
      problems.report({
        code: 'PLAN_MISSING_KEY',
        at,
        message,
        fix: 'Add signed_trx here, or signer to the wallet.',
      });
    }
    return undefined;
  }
  const path = fileNode.text;
  const reading = await files.digest(path, MAX_SIGNED_BYTES);
  const fault = reading.status === 'ok' ? signedFault(path, reading) : refusalProblem(reading, path);
  if (fault !== undefined) problems.report({ ...fault, at: fileNode.span });
  if (fault !== undefined || reading.status !== 'ok') return undefined;
  return { path, digest: reading.digest, sizeBytes: reading.sizeBytes };
}

/** The file is sent as it is, so a key that was named by mistake must not pass for a transaction. */
function signedFault(
  path: string,
  { head, sizeBytes }: { readonly head: Uint8Array; readonly sizeBytes: number },
): Omit<Problem, 'at'> | undefined {
  const isHex = /^\s*(?:0x)?[0-9a-fA-F]+\s*$/.test(Buffer.from(head).toString('latin1'));
  if (isHex && sizeBytes >= MIN_SIGNED_BYTES) return undefined;
  const message = `"${path}" is not a signed deployment transaction in hex.`;
  return { code: 'PLAN_FILE_TYPE', message };
}
