import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { Environment } from '../model/environment.js';
import { WindlassError } from '../model/error.js';

const TIMEOUT_MS = 15_000;

/** The npm client answers, so that compilers and packages can be fetched. */
export async function checkRegistry(): Promise<string> {
  const run = promisify(execFile);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  await run(npm, ['view', 'solc', 'version'], {
    timeout: TIMEOUT_MS,
    shell: process.platform === 'win32',
  }).catch(() => {
    throw new Error(
      'npm cannot reach its registry, so only compilers and packages in the cache can be used.',
    );
  });
  return 'npm reaches its registry: compilers and packages can be fetched';
}

/** Something answers at the address of a service. No credentials are sent. */
export async function checkService(baseUrl: string): Promise<string> {
  const response = await fetch(baseUrl, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new WindlassError('REMOTE_UNREACHABLE', `Nothing answers at ${new URL(baseUrl).origin}.`);
  });
  return `${new URL(baseUrl).origin} answers (${response.status})`;
}

/** The callback listener can take its address. Whether the service reaches it, only a callback can show. */
export async function checkCallbacks(callbacks: Environment['callbacks']): Promise<string> {
  if (callbacks === 'off') return 'off: steps are settled by reads';
  const { listen, url } = callbacks;
  if (listen !== undefined) await bindOnce(listen);
  const place = listen === undefined ? 'a free port' : listen;
  return `the listener can use ${place}; the service is told ${url === undefined ? 'that address' : new URL(url).origin}`;
}

function bindOnce(address: string): Promise<void> {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', () => {
      reject(new WindlassError('CALLBACKS_PORT', `The listener cannot use ${address}.`));
    });
    server.listen(Number(address.slice(colon + 1)), host, () => server.close(() => resolve()));
  });
}
