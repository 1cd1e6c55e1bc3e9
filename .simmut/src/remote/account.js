import { WindlassError } from '../model/error.js';
import { quantity } from './chain.js';
/**
 * What signing needs of an account: `{nonce, chainId, gasPrice, creates}`, `gasPrice` as decimal text in wei,
 * `creates` the checksummed addresses of its next contracts. The nonce counts pending transactions. From the node
 * where there is one, else from the service.
 */
export async function readAccount(request, rpc, readService) {
    if (!/^0x[0-9a-f]{40}$/i.test(request.address))
        return { type: 'unreadable', message: 'not an address' };
    const facts = rpc ? await fromNode(request.address, rpc) : await fromService(request.address, readService);
    if (typeof facts === 'string')
        return { type: 'unreadable', message: facts };
    const creates = await contractAddresses(request.address, facts.nonce, request.count);
    return { type: 'found', value: { ...facts, creates }, source: rpc ? 'chain' : 'read' };
}
/** The facts, or why they cannot be had. */
async function fromNode(address, rpc) {
    try {
        const [nonce, chainId, gasPrice] = await Promise.all([
            rpc.call('eth_getTransactionCount', [address, 'pending']),
            rpc.call('eth_chainId', []),
            rpc.call('eth_gasPrice', []),
        ]);
        const [count, chain] = [quantity(nonce), quantity(chainId)];
        if (count === undefined || chain === undefined || typeof gasPrice !== 'string') {
            return 'the node gave no nonce, chain id or gas price';
        }
        return { nonce: count, chainId: chain, gasPrice: BigInt(gasPrice).toString() };
    }
    catch (error) {
        if (error instanceof WindlassError && error.code !== 'REMOTE_ANSWER')
            throw error;
        return 'the node gave no nonce, chain id or gas price';
    }
}
async function fromService(address, read) {
    const answers = await Promise.all([
        read({ type: 'service', endpoint: 'account.nonce', params: { address } }),
        read({ type: 'service', endpoint: 'utils.chain-id' }),
        read({ type: 'service', endpoint: 'utils.gas-price' }),
    ]);
    const [nonce, chainId, gasPrice] = answers.map((answer) => answer.type === 'found' ? Number(answer.value) : NaN);
    if (nonce === undefined || chainId === undefined || gasPrice === undefined)
        return 'nothing was answered';
    const unread = answers.find((answer) => answer.type === 'unreadable');
    if (unread)
        return unread.message;
    if (![nonce, chainId, gasPrice].every(Number.isSafeInteger)) {
        return 'the service gave no nonce, chain id or gas price';
    }
    return { nonce, chainId, gasPrice: String(gasPrice) };
}
/** Addresses of the contracts that an account creates with its next nonces: CREATE, from sender and nonce. */
async function contractAddresses(from, nonce, count) {
    const { addr } = await import('micro-eth-signer');
    const sender = addr.addChecksum(from.toLowerCase());
    return Array.from({ length: count }, (_, index) => addr.getCreateAddress(sender, nonce + index));
}
