import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who this platform is: made once per data folder. */
export interface Identity {
  /** Names the platform in lockfiles: `platform-` and 24 hex digits. */
  readonly id: string;
  /** `development`: wallets of the well-known mnemonic; `random`: every key is its own. */
  readonly seed: 'development' | 'random';
  /** Secret from which the development key is made. */
  readonly secret: string;
}

/**
 * Reads the identity of a data folder, or makes it. The file holds the secret of the development key: mode 0600.
 *
 * @param loopback whether a new platform may use the well-known keys
 * @throws Error when a folder made for loopback is opened on another interface
 */
export function openIdentity(folder: string, loopback: boolean): Identity {
  const path = join(folder, 'identity.json');
  const known = readIdentity(path);
  if (known === undefined) return makeIdentity(path, loopback);
  if (known.seed === 'development' && !loopback) {
    throw new Error(
      'this data folder has the well-known development wallets, which are good on loopback only: use a new folder',
    );
  }
  return known;
}

/** A lasting secret of the platform for one purpose, 64 hex digits. */
export function derivedSecret(identity: Identity, purpose: string): string {
  return createHmac('sha256', identity.secret).update(purpose).digest('hex');
}

function readIdentity(path: string): Identity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Identity;
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw new Error('the identity file of the data folder is damaged', { cause });
  }
}

function makeIdentity(path: string, loopback: boolean): Identity {
  const identity: Identity = {
    id: `platform-${randomBytes(12).toString('hex')}`,
    seed: loopback ? 'development' : 'random',
    secret: randomBytes(32).toString('hex'),
  };
  writeFileSync(`${path}.tmp`, JSON.stringify(identity), { mode: 0o600, flush: true });
  renameSync(`${path}.tmp`, path);
  return identity;
}
