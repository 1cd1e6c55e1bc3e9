import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namesOfOtherLineages } from '../../src/disk/other-lineages.js';
import { statePaths } from '../../src/disk/state-paths.js';
import { formatLock } from '../../src/state/lockfile-text.js';
import { lineage } from '../support/locked.js';
import { address, hash } from '../support/builders.js';
import { inFolder } from '../cli/command.js';

function lockOf(name: string, seed: string): string {
  const { lock } = lineage({
    locked: { 'contract.core.Token': [{}, { address: address(seed), transaction: hash(seed) }] },
  });
  if (lock === undefined) throw new Error('a lineage has a lock');
  return formatLock({ ...lock, lineage: name }).main;
}

describe('the lockfiles of other lineages in a folder', () => {
  test('tell what they made; our own, its copies, links and damaged ones tell nothing', async () => {
    await inFolder(async (root) => {
      const paths = statePaths({ root, planFile: 'windlass.yaml', environment: 'test' });
      const write = (name: string, text: string) => writeFile(join(root, name), text);
      await write('windlass.test.lock.json', lockOf('own', 'own'));
      await write('copy.lock.json', lockOf('own', 'copied'));
      await write('other.test.lock.json', lockOf('theirs', 'theirs'));
      await write('damaged.lock.json', '{"resources":');
      await symlink(join(root, 'other.test.lock.json'), join(root, 'linked.lock.json'));
      expect([...(await namesOfOtherLineages(paths, 'own'))].sort()).toEqual(
        [address('theirs'), hash('theirs')].map((name) => name.toLowerCase()).sort(),
      );
      expect(await namesOfOtherLineages({ root: join(root, 'nowhere'), lockfile: '' }, 'own')).toEqual(
        new Set(),
      );
    });
  });
});
