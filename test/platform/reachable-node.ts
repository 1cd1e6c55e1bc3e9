import { startAnvil, type Anvil, type AnvilOptions } from '../../src/platform/chain/node/anvil.js';

/** A node as somebody else would run it: everybody on this machine can ask it. */
export async function startReachable(options: AnvilOptions): Promise<Anvil & { readonly url: string }> {
  const node = await startAnvil(options, ['127.0.0.1']);
  return { ...node, url: `http://${node.listens}` };
}
