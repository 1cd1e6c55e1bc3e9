import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WindlassError } from '../model/error.js';
import type { Terminal } from './terminal.js';

/** Where keys come from: a file that a flag names, else a variable with the text of one. Never the key itself. */
const VARIABLES = { sign: 'WINDLASS_ATTEST_KEY', verify: 'WINDLASS_ATTEST_PUBLIC_KEY' } as const;

/**
 * The key that signs or verifies attestations: PEM, Ed25519. To verify, either half will do.
 *
 * @returns undefined when neither a file nor the variable is given
 * @throws ATTESTATION_KEY for anything else; no message holds a part of it
 */
export async function attestationKey(
  purpose: keyof typeof VARIABLES,
  keyFile: string | undefined,
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
): Promise<KeyObject | undefined> {
  const variable = VARIABLES[purpose];
  const text = keyFile === undefined ? env[variable] : await readKeyFile(resolve(cwd, keyFile), keyFile);
  if (text === undefined || text.trim() === '') return undefined;
  const named = keyFile ?? variable;
  // CI systems keep secrets on one line.
  const pem = text.includes('\n') ? text : text.replaceAll('\\n', '\n');
  const key = parseKey(pem, purpose, named);
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new WindlassError('ATTESTATION_KEY', `The key in ${named} is not an Ed25519 key.`);
  }
  return key;
}

function parseKey(pem: string, purpose: keyof typeof VARIABLES, named: string): KeyObject {
  try {
    return purpose === 'sign' ? createPrivateKey(pem) : createPublicKey(pem);
  } catch {
    const half = purpose === 'sign' ? 'private' : 'public';
    throw new WindlassError('ATTESTATION_KEY', `${named} holds no ${half} key as PEM without a password.`);
  }
}

async function readKeyFile(path: string, shown: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new WindlassError('ATTESTATION_KEY', `The key file ${shown} cannot be read.`, { cause });
  });
}
