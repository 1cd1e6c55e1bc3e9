import { isJsonObject, textMember, type Json, type JsonObject } from '../model/json.js';
import type { Grade } from '../state/event.js';
import type { ReadAnswer } from './operation.js';

/** `Transfer(address indexed, address indexed, uint256 indexed)` of ERC-721 (EIP-721): keccak-256 of its signature. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** What a receipt says, read from an untrusted body. Addresses keep the case in which they came. */
export interface ReceiptFacts {
  readonly succeeded: boolean;
  readonly hash: string;
  readonly from: string;
  readonly to: string | undefined;
  readonly contractAddress: string | undefined;
  readonly logs: readonly JsonObject[];
}

/** Reads a web3.js-style or JSON-RPC receipt; undefined when it is not one. */
export function readReceipt(value: Json): ReceiptFacts | undefined {
  if (!isJsonObject(value)) return undefined;
  const status = value['status'];
  const hash = textMember(value, 'transactionHash');
  const from = textMember(value, 'from');
  if (hash === undefined || from === undefined || status === undefined) return undefined;
  const logs = value['logs'];
  return {
    succeeded: status === true || status === 1 || status === '0x1',
    hash,
    from,
    to: textMember(value, 'to'),
    contractAddress: textMember(value, 'contractAddress'),
    logs: Array.isArray(logs) ? (logs as readonly Json[]).filter(isJsonObject) : [],
  };
}

/** True when two addresses are the same whatever their case; false when either is missing. */
export function sameAddress(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase();
}

/** An ERC-721 transfer found in the logs of `contract`; addresses lower-case, the token id as decimal text. */
export interface TokenTransfer {
  readonly from: string;
  readonly to: string;
  readonly tokenId: string;
}

/** The ERC-721 transfers that `contract` logged in a receipt, in log order. */
export function tokenTransfers(receipt: ReceiptFacts, contract: string): readonly TokenTransfer[] {
  return receipt.logs.flatMap((log) => {
    const topics = log['topics'];
    if (!sameAddress(textMember(log, 'address'), contract) || !Array.isArray(topics)) return [];
    const [signature, from, to, id] = (topics as readonly Json[]).map(wordOf);
    if (signature !== TRANSFER_TOPIC || from === undefined || to === undefined || id === undefined) return [];
    return [{ from: addressOfTopic(from), to: addressOfTopic(to), tokenId: BigInt(id).toString() }];
  });
}

/** The grade of what an answer shows: the chain itself is A, a read of the platform B. */
export function gradeOf(answer: ReadAnswer): Grade {
  return answer.type === 'found' && answer.source === 'chain' ? 'A' : 'B';
}

/** A topic in lower case; undefined when it is not 32 bytes of hex. */
function wordOf(topic: Json): string | undefined {
  return typeof topic === 'string' && /^0x[0-9a-f]{64}$/i.test(topic) ? topic.toLowerCase() : undefined;
}

function addressOfTopic(topic: string): string {
  return `0x${topic.slice(-40).toLowerCase()}`;
}
