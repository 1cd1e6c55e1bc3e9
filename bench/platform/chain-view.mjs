/** Every transaction of a chain by hash, read block by block over plain JSON-RPC. */
export async function readChain(rpcUrl) {
  const ask = async (calls) => {
    const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()).toSorted((a, b) => a.id - b.id).map(({ result }) => result);
  };
  const [head] = await ask([['eth_blockNumber', []]]);
  const transactions = new Map();
  for (let from = 0; from <= Number(head); from += 100) {
    const numbers = Array.from({ length: Math.min(100, Number(head) - from + 1) }, (_, at) => from + at);
    const calls = numbers.flatMap((number) => {
      const hex = `0x${number.toString(16)}`;
      return [
        ['eth_getBlockByNumber', [hex, true]],
        ['eth_getBlockReceipts', [hex]],
      ];
    });
    const answers = await ask(calls);
    for (let at = 0; at < answers.length; at += 2) {
      const status = new Map(
        answers[at + 1].map((receipt) => [receipt.transactionHash, receipt.status === '0x1']),
      );
      for (const { hash, from: sender, nonce } of answers[at].transactions) {
        transactions.set(hash, { from: sender, nonce: Number(nonce), ok: status.get(hash) });
      }
    }
  }
  return { transactions, blocks: Number(head) };
}
