import { WindlassError } from '../model/error.js';
import { textMember } from '../model/json.js';
import type { FileInput } from '../model/resource.js';
import type { SecretSource } from '../model/value.js';
import type { Needs } from '../execute/needs.js';
import type { Service } from '../execute/ports.js';
import { quantity } from './chain.js';
import type { Rpc } from './rpc.js';

/** What looking before the first write needs. */
export interface PreflightParts {
  readonly secrets: (source: SecretSource) => Promise<string>;
  readonly files: (file: FileInput) => Promise<Uint8Array>;
  readonly read: Service['read'];
  readonly rpc: Rpc | undefined;
}

/**
 * Why steps would fail that nobody has sent yet: a secret that is missing, a key of another address, an account that
 * cannot be read or cannot pay, a transaction that another wallet signed. All of them, one sentence each.
 *
 * @throws REMOTE_*
 */
export async function unreadiness(needs: Needs, parts: PreflightParts): Promise<readonly string[]> {
  const found = await Promise.all([
    ...needs.secrets.map(({ of, source }) => faultIn(of, async () => void (await parts.secrets(source)))),
    ...needs.signers.map((signer) => faultIn(signer.of, () => checkSigner(signer, parts))),
    ...needs.signed.map((signed) => faultIn(signed.of, () => checkSigned(signed, parts))),
  ]);
  return found.filter((fault) => fault !== undefined);
}

/** The sentence of a check that failed for what the author has to mend. */
async function faultIn(of: string, check: () => Promise<string | void>): Promise<string | undefined> {
  try {
    const fault = await check();
    return typeof fault === 'string' ? `${of}: ${fault}.` : undefined;
  } catch (thrown) {
    if (!(thrown instanceof WindlassError) || thrown.code.startsWith('REMOTE_')) throw thrown;
    return `${of}: ${thrown.message}`;
  }
}

async function checkSigner(
  { address, signer }: Needs['signers'][number],
  { secrets, read, rpc }: PreflightParts,
): Promise<string | undefined> {
  const { checkKey, LEAST_GAS } = await import('./signing.js');
  await checkKey(signer, address, secrets);
  const account = await read({ type: 'account', address, count: 1 });
  if (account.type !== 'found') {
    const why = account.type === 'unreadable' ? account.message : 'it is not there';
    return `the account ${address} cannot be read, so its nonce is not known: ${why}`;
  }
  const price = BigInt(textMember(account.value, 'gasPrice') ?? '0');
  if (price === 0n || rpc === undefined) return undefined;
  const held = await rpc.call('eth_getBalance', [address, 'latest']);
  if (typeof held !== 'string' || !/^0x[0-9a-f]+$/i.test(held)) return undefined;
  const balance = BigInt(held);
  const least = price * BigInt(LEAST_GAS);
  return balance < least
    ? `${address} has ${String(balance)} wei, and a deployment needs ${String(least)} at the present price of gas`
    : undefined;
}

async function checkSigned(
  { address, file }: Needs['signed'][number],
  { files, rpc }: PreflightParts,
): Promise<string | undefined> {
  const { readSignedCreation } = await import('./signing.js');
  const text = Buffer.from(await files(file))
    .toString('latin1')
    .trim();
  const signed = readSignedCreation(text);
  if (signed === undefined) return `${file.path} is no signed transaction that creates a contract`;
  if (signed.sender.toLowerCase() !== address.toLowerCase())
    return `${file.path} is signed by ${signed.sender}, not by ${address}`;
  const chain = rpc && quantity(await rpc.call('eth_chainId', []));
  if (chain === undefined || signed.chainId === BigInt(chain)) return undefined;
  const where =
    signed.chainId === undefined ? 'bound to no chain' : `signed for chain ${String(signed.chainId)}`;
  return `${file.path} is ${where}, and this one is ${String(chain)}`;
}
