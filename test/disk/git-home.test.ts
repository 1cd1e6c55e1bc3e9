import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refName } from '../../src/disk/git-home.js';
import { openState } from '../../src/disk/state-folder.js';
import { bareRemote, clonedFrom, git } from './git-remote.js';

const LONG = 120_000;

describe('where the state of a lineage lives in Git', () => {
  it.each<[string, string, { readonly name?: string }, string]>([
    ['', 'windlass.yaml', {}, 'refs/windlass/test/journal'],
    ['', 'release.yaml', {}, 'refs/windlass/test@release/journal'],
    ['teams/a/', 'windlass.yaml', {}, 'refs/windlass/test@teams%2Fa%2Fwindlass/journal'],
    ['teams/a/', 'windlass.yaml', { name: 'campus' }, 'refs/windlass/test@campus/journal'],
  ])('follows from where the plan lies: %s%s', (prefix, planFile, named, ref) => {
    expect(refName({ environment: 'test', planFile }, named, prefix)).toBe(ref);
  });

  it(
    'is a ref that Git takes, and another one for every other name',
    () => {
      const cwd = bareRemote();
      const names = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
      fc.assert(
        fc.property(names, names, (a, b) => {
          const [one, two] = [a, b].map((name) => refName({ environment: name, planFile: 'x.yaml' }, {}, ''));
          expect(() => git(cwd, 'check-ref-format', one ?? '')).not.toThrow();
          expect(one === two).toBe(Buffer.from(a).equals(Buffer.from(b)));
        }),
        { numRuns: 30 },
      );
    },
    LONG,
  );

  it.each(['ext::sh -c true', '--upload-pack=x', '../other.git', 'https://example.com/x.git'])(
    'is a remote of the repository, never an address from the plan: %s',
    async (remote) => {
      const at = clonedFrom(bareRemote(), { git: { remote } });
      await expect(openState(at)).rejects.toMatchObject({ code: 'STATE_GIT' });
    },
  );

  it('needs a repository, a remote, and one address to push to', async () => {
    const at = clonedFrom(bareRemote());
    await expect(openState({ ...at, git: { remote: 'upstream' } })).rejects.toMatchObject({
      code: 'STATE_GIT',
    });
    git(at.root, 'remote', 'set-url', '--add', '--push', 'origin', '/a');
    git(at.root, 'remote', 'set-url', '--add', '--push', 'origin', '/b');
    await expect(openState(at)).rejects.toMatchObject({ code: 'STATE_GIT' });
    rmSync(join(at.root, '.git'), { recursive: true });
    await expect(openState(at)).rejects.toMatchObject({ code: 'STATE_GIT' });
  });
});
