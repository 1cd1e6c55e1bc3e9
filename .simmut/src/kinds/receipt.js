import { isJsonObject, textMember } from '../model/json.js';
/** `Transfer(address indexed, address indexed, uint256 indexed)` of ERC-721 (EIP-721): keccak-256 of its signature. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Reads a web3.js-style or JSON-RPC receipt; undefined when it is not one. */
export function readReceipt(value) {
    if (!isJsonObject(value))
        return undefined;
    const status = value['status'];
    const hash = textMember(value, 'transactionHash');
    const from = textMember(value, 'from');
    if (hash === undefined || from === undefined || status === undefined)
        return undefined;
    const logs = value['logs'];
    return {
        succeeded: status === true || status === 1 || status === '0x1',
        hash,
        from,
        to: textMember(value, 'to'),
        contractAddress: textMember(value, 'contractAddress'),
        logs: Array.isArray(logs) ? logs.filter(isJsonObject) : [],
    };
}
/** True when two addresses are the same whatever their case; false when either is missing. */
export function sameAddress(a, b) {
    return a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase();
}
/** The ERC-721 transfers that `contract` logged in a receipt, in log order. */
export function tokenTransfers(receipt, contract) {
    return receipt.logs.flatMap((log) => {
        const topics = log['topics'];
        if (!sameAddress(textMember(log, 'address'), contract) || !Array.isArray(topics))
            return [];
        const [signature, from, to, id] = topics.map(wordOf);
        if (signature !== TRANSFER_TOPIC || from === undefined || to === undefined || id === undefined)
            return [];
        return [{ from: addressOfTopic(from), to: addressOfTopic(to), tokenId: BigInt(id).toString() }];
    });
}
/** The grade of what an answer shows: the chain itself is A, a read of the platform B. */
export function gradeOf(answer) {
    return answer.type === 'found' && answer.source === 'chain' ? 'A' : 'B';
}
/** A topic in lower case; undefined when it is not 32 bytes of hex. */
function wordOf(topic) {
    return typeof topic === 'string' && /^0x[0-9a-f]{64}$/i.test(topic) ? topic.toLowerCase() : undefined;
}
function addressOfTopic(topic) {
    return `0x${topic.slice(-40).toLowerCase()}`;
}
