import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { startPlatformHere } from '../support/platform-here.js';
import { inFolder, MAIN, windlass } from './command.js';

/** A plan folder from a template whose platform runs on its own, for one test. */
export async function besidePlatform<T>(
  template: string,
  work: (folder: string, apiUrl: string) => Promise<T>,
): Promise<T> {
  return inFolder(async (cwd) => {
    expect((await windlass(['init', '--template', template], { cwd })).code).toBe(0);
    const platform = await startPlatformHere(cwd);
    try {
      return await work(cwd, platform.apiUrl);
    } finally {
      await platform.stop();
    }
  });
}

/** A `windlass listen` that runs. */
export interface Listening {
  readonly url: string;
  /** Resolves with the exit code after SIGTERM. */
  stop(): Promise<number | null>;
}

/** Starts a listener; resolves when it listens. */
export async function startListening(cwd: string, args: readonly string[] = []): Promise<Listening> {
  const child: ChildProcess = spawn(process.execPath, [MAIN, 'listen', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    let seen = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const found = /Listening at (\S+)/.exec((seen += chunk))?.[1];
      if (found !== undefined) resolve(found);
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk));
    child.on('close', () => reject(new Error(`the listener ended: ${seen}`)));
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** A port that nobody uses at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
