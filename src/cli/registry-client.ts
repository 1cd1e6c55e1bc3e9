import { FetchError, FetchInterrupted } from '../build/fetch-error.js';
import { pinPackage, type PinCache, type PinnedPackage } from '../build/pins.js';
import { Registry } from '../build/registry.js';
import { WindlassError } from '../model/error.js';
import { Interrupted } from './interruption.js';
import { registryChoice } from './registry-choice.js';
import type { Terminal } from './terminal.js';

/** Pins a package by the registry that the environment names. @throws what `pinPackage` throws; CLI_USAGE, Interrupted */
export async function lookUpPackage(
  spec: string,
  cache: PinCache,
  terminal: Pick<Terminal, 'env' | 'cwd' | 'interruption'>,
): Promise<PinnedPackage> {
  const registry = new Registry(registryChoice(terminal));
  try {
    return await pinPackage(spec, { cache, registry, signal: terminal.interruption.signal });
  } catch (cause) {
    if (cause instanceof FetchInterrupted) throw new Interrupted();
    if (!(cause instanceof WindlassError) || cause.code !== 'REMOTE_UNREACHABLE') throw cause;
    const { origin } = new URL(registry.base);
    const another = 'WINDLASS_REGISTRY names another registry.';
    throw new WindlassError('REGISTRY_FETCH', `${cause.message} The registry is ${origin}.`, {
      advice: `${cause.advice} ${another}`,
      cause,
    });
  } finally {
    await registry.close();
  }
}

/** Whether compilers and packages can be fetched, as `doctor` tells it. @throws Error with the reason */
export async function checkRegistry(terminal: Pick<Terminal, 'env' | 'cwd'>): Promise<string> {
  const options = registryChoice(terminal);
  const registry = new Registry(options);
  const where = `${new URL(registry.base).origin}${options.proxy === undefined ? '' : ', through a proxy'}`;
  try {
    await registry.versions('solc', AbortSignal.timeout(20_000));
    return `compilers and packages can be fetched from ${where}`;
  } catch (cause) {
    const reason = cause instanceof FetchError ? cause.reason : 'it does not answer';
    throw new Error(
      `Compilers and packages cannot be fetched from ${where}: ${reason}. Only those in the cache can be used; WINDLASS_REGISTRY names another registry.`,
      { cause },
    );
  } finally {
    await registry.close();
  }
}
