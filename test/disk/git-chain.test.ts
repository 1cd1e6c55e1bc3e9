import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRun } from '../../src/disk/run-state.js';
import { openState } from '../../src/disk/state-folder.js';
import { statePaths } from '../../src/disk/state-paths.js';
import { bareRemote, clonedFrom, git, REF } from './git-remote.js';
import { opened, release, session, TOKEN } from './git-runs.js';

describe('the journal in Git', () => {
  /** Replaces the newest commit of the ref by one with other records. */
  function replaceRecords(remote: string, change: (text: string) => string): void {
    const text = `${git(remote, 'show', `${REF}~1:records.jsonl`)}\n`;
    const path = join(remote, 'changed');
    writeFileSync(path, change(text));
    const blob = git(remote, 'hash-object', '-w', path);
    rmSync(path);
    const [id = ''] = git(remote, 'rev-list', '--max-parents=0', REF).split('\n');
    const tree = git(remote, 'rev-parse', `${id}^{tree}`);
    const list = git(remote, 'ls-tree', tree).replace(/blob \S+(\trecords\.jsonl)/, `blob ${blob}$1`);
    const edited = writeTree(remote, list);
    git(remote, 'update-ref', REF, git(remote, 'commit-tree', edited, '-m', 'x'));
  }

  function writeTree(remote: string, list: string): string {
    const path = join(remote, 'list');
    writeFileSync(path, `${list}\n`);
    try {
      return git(remote, '-c', `alias.mk=!git mktree < '${path}'`, 'mk');
    } finally {
      rmSync(path);
    }
  }

  it.each<[string, (text: string) => string]>([
    ['was edited', (text) => text.replace('lineage-1', 'lineage-2')],
    ['lost a record', (text) => text.split('\n').slice(1).join('\n')],
    ['ends in half a record', (text) => text.slice(0, -3)],
    ['is something else', () => 'hello\n'],
  ])('is refused when it %s', async (_, change) => {
    const remote = bareRemote();
    const run = await opened(clonedFrom(remote));
    await run.close();
    replaceRecords(remote, change);
    await expect(openState(clonedFrom(remote))).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await expect(openRun(clonedFrom(remote), session('r2'))).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
    });
  });

  it('is refused when two histories were joined in it', async () => {
    const remote = bareRemote();
    await release(clonedFrom(remote));
    const other = git(remote, 'commit-tree', git(remote, 'rev-parse', `${REF}^{tree}`), '-m', 'x');
    const tree = git(remote, 'rev-parse', `${REF}^{tree}`);
    const parents = ['-p', git(remote, 'rev-parse', REF), '-p', other];
    git(remote, 'update-ref', REF, git(remote, 'commit-tree', tree, ...parents, '-m', 'x'));
    await expect(openState(clonedFrom(remote))).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
  });

  it.each<[string, (remote: string) => void]>([
    ['cut', (remote) => git(remote, 'update-ref', REF, git(remote, 'rev-parse', `${REF}~2`))],
    ['deleted', (remote) => git(remote, 'update-ref', '-d', REF)],
    [
      'replaced',
      (remote) => {
        const tree = git(remote, 'rev-parse', `${REF}^{tree}`);
        git(remote, 'update-ref', REF, git(remote, 'commit-tree', tree, '-m', 'x'));
      },
    ],
  ])('is refused, and nothing is written, when its ref was %s since it was seen', async (_, change) => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    await release(at);
    change(remote);
    const refs = git(remote, 'for-each-ref');
    await expect(openState(at)).rejects.toMatchObject({ code: 'JOURNAL_REWRITTEN' });
    await expect(openRun(at, session('r2'))).rejects.toMatchObject({ code: 'JOURNAL_REWRITTEN' });
    expect(git(remote, 'for-each-ref')).toBe(refs);
  });

  it('is refused by a fresh clone when it knows less than the lockfile of the work tree', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    await release(at);
    git(remote, 'update-ref', REF, git(remote, 'rev-parse', `${REF}~2`));
    const fresh = clonedFrom(remote);
    writeFileSync(statePaths(fresh).lockfile, readFileSync(statePaths(at).lockfile));
    await expect(openState(fresh)).rejects.toMatchObject({ code: 'JOURNAL_REWRITTEN' });
  });

  it('is read again from the remote after the copy beside the plan was lost', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    await release(at);
    rmSync(join(statePaths(at).folder, 'git'), { recursive: true });
    expect((await openState(at)).lock?.entries.has(TOKEN)).toBe(true);
  });

  it('is looked at offline as it was seen last', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    await release(at);
    rmSync(remote, { recursive: true });
    await expect(openState(at)).rejects.toMatchObject({ code: 'STATE_REMOTE' });
    const seen = await openState({ ...at, git: { remote: 'origin', offline: true } });
    expect(seen.lock?.entries.has(TOKEN)).toBe(true);
  });
});
