import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, http, type PublicClient } from 'viem';
import { startPlatform, type PlatformOptions } from '../../src/platform/platform.js';
import { clientOf, textAt, type Client } from './client.js';
import { testDatabase } from '../support/test-database.js';
import { openReceiver, type Receiver } from './receiver.js';

/** A whole platform in a temporary folder, with two organisations. */
export interface Service {
  /** The first organisation, which has the ten development wallets. */
  readonly api: Client;
  /** The second organisation, which has nothing. */
  readonly other: Client;
  /** The chain as an independent library sees it. */
  readonly chain: PublicClient;
  readonly receiver: Receiver;
  /** Checksummed address of a development wallet, 0 to 9. */
  wallet(index: number): string;
  close(): Promise<void>;
}

/** Starts a platform in a new folder. Closing fails when the platform met an internal error meanwhile. */
export async function openService(options: Partial<PlatformOptions> = {}): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-'));
  const service = await serviceIn(folder, { ...(await testDatabase()), ...options });
  return {
    ...service,
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts a platform in a folder, where it goes on when it was there before. */
export async function serviceIn(folder: string, options: Partial<PlatformOptions> = {}): Promise<Service> {
  const failures: unknown[] = [];
  const platform = await startPlatform({
    dataDir: join(folder, 'data'),
    cacheDir: join(folder, 'cache'),
    bcryptCost: 4,
    failed: (cause) => failures.push(cause),
    ...options,
  });
  if (!platform.apiKey) throw new Error('a platform on loopback has a development key');
  const api = clientOf(platform.apiUrl, platform.apiKey);
  const { body } = await api.post('/_platform/keys', {
    name: 'second',
    organisation: 'org-2',
    scopes: 'read,write,operate',
  });
  const second = {
    client_id: textAt(body, 'result.client_id'),
    client_secret: textAt(body, 'result.client_secret'),
  };
  const receiver = await openReceiver();
  return {
    api,
    other: clientOf(platform.apiUrl, second),
    chain: createPublicClient({ transport: http(platform.rpcUrl) }),
    receiver,
    wallet: (index) => platform.wallets[index] ?? '',
    close: async () => {
      await platform.stop();
      await receiver.close();
      if (failures.length > 0) throw new Error('the platform met an internal error', { cause: failures[0] });
    },
  };
}
