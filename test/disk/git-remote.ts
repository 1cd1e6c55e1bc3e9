import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Machine } from '../../src/disk/machine.js';
import type { StatePlace } from '../../src/disk/state-paths.js';
import { temporaryFolder } from './temporary-folder.js';

/** The ref of these tests' lineage. */
export const REF = 'refs/windlass/test/journal';

/** Runs Git as a person would. */
export function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** An empty bare repository, as a server has it. */
export function bareRemote(): string {
  const folder = join(temporaryFolder(), 'remote.git');
  mkdirSync(folder);
  git(folder, 'init', '--quiet', '--bare');
  return folder;
}

/** The folder of a plan in a fresh clone of a remote. */
export function clonedFrom(remote: string, over: Partial<StatePlace> = {}): StatePlace {
  const root = join(temporaryFolder(), 'clone');
  mkdirSync(root);
  git(root, 'init', '--quiet');
  git(root, 'remote', 'add', 'origin', remote);
  return { root, planFile: 'windlass.yaml', environment: 'test', git: { remote: 'origin' }, ...over };
}

/** A machine of its own, with one process that lives. */
export function machine(host: string, over: Partial<Machine> = {}): Machine {
  return { host, boot: 'boot-1', pid: 1, startOf: (pid) => (pid === 1 ? 'start-1' : undefined), ...over };
}

/**
 * For everything that is opened until the test ends: once armed, `git SUBCOMMAND` runs a script first; in it, `"$GIT"` is
 * the real one and `$COUNT` a file for its own use.
 */
export function wrapGit(subcommand: string, script: string): { readonly arm: () => void } {
  const folder = temporaryFolder();
  const armed = join(folder, 'armed');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const wrapper = `#!/bin/sh
GIT='${real}'; COUNT='${join(folder, 'count')}'
if [ "$1" = '${subcommand}' ] && [ -e '${armed}' ]; then
${script}
fi
exec "$GIT" "$@"
`;
  writeFileSync(join(folder, 'git'), wrapper);
  chmodSync(join(folder, 'git'), 0o755);
  const before = process.env['PATH'];
  process.env['PATH'] = `${folder}${delimiter}${before ?? ''}`;
  onTestFinished(() => {
    process.env['PATH'] = before;
  });
  return { arm: () => writeFileSync(armed, '') };
}
