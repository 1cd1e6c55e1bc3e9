import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findHolder } from '../../src/disk/run-holder.js';
import { openRun } from '../../src/disk/run-state.js';
import { openState } from '../../src/disk/state-folder.js';
import { statePaths } from '../../src/disk/state-paths.js';
import type { Target } from '../../src/state/event.js';
import { intended, settled, TARGET } from '../state/journal-events.js';
import { bareRemote, clonedFrom, git, machine, REF, wrapGit } from './git-remote.js';
import { opened, record, release, RELEASE, session, SESSION, step, TOKEN } from './git-runs.js';

const LONG = 120_000;
const OTHER: Target = { ...TARGET, origin: 'https://other.example.com' };

describe('a lineage in Git', () => {
  it('is the same in every clone, with its lockfile beside it in the remote', async () => {
    const remote = bareRemote();
    const first = clonedFrom(remote);
    await release(first);
    const there = await openState(clonedFrom(remote));
    expect(there.origin).toBe('journal');
    expect(there.lock?.entries.get(TOKEN)?.outputs).toMatchObject({ address: '0xA' });
    expect(there.lock).toEqual((await openState(first)).lock);
    const kept = git(remote, 'show', `${REF}:lock/windlass.test.lock.json`);
    expect(`${kept}\n`).toBe(readFileSync(statePaths(first).lockfile, 'utf8'));
    expect(git(remote, 'show', `${REF}:lock/windlass.test.lock/class%2F26.ndjson`)).toContain('S-1');
    expect(await findHolder(first)).toBeUndefined();
  });

  it('has nothing in the work tree, the index, the history or the configuration of its repository', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    writeFileSync(join(at.root, '.gitignore'), '.windlass/\n');
    writeFileSync(join(at.root, '.git/hooks/pre-push'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    git(at.root, 'config', 'commit.gpgSign', 'true');
    git(at.root, 'config', 'push.gpgSign', 'true');
    git(at.root, 'config', 'remote.origin.mirror', 'true');
    const config = readFileSync(join(at.root, '.git/config'), 'utf8');
    const state = await opened(at);
    await record(state, RELEASE);
    await state.close();
    expect(git(at.root, 'status', '--porcelain')).toBe('?? .gitignore');
    expect(git(at.root, 'for-each-ref')).toBe('');
    expect(readFileSync(join(at.root, '.git/config'), 'utf8')).toBe(config);
    expect(git(remote, 'for-each-ref', '--format=%(refname)')).toBe(REF);
  });

  it(
    'goes to exactly one of 20 runners that race for it, which all others name',
    async () => {
      const remote = bareRemote();
      const runs = Array.from({ length: 20 }, (_, n) => `r${n}`);
      const places = runs.map(() => clonedFrom(remote));
      const race = await Promise.allSettled(places.map((at, n) => openRun(at, session(`r${n}`))));
      const winners = race.flatMap((ended, n) => (ended.status === 'fulfilled' ? [n] : []));
      expect(winners).toHaveLength(1);
      for (const [n, ended] of race.entries()) {
        if (n === winners[0]) continue;
        expect(ended).toMatchObject({ status: 'rejected', reason: { code: 'RUN_LOCKED' } });
        expect(ended.status === 'rejected' && String(ended.reason)).toContain(`Run r${winners[0]} holds`);
      }
      expect(git(remote, 'rev-list', '--count', REF)).toBe('1');
    },
    LONG,
  );

  it('carries records that come together in few pushes, in their order', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    const state = await opened(at);
    const events = Array.from({ length: 300 }, (_, n) => step(n));
    await Promise.all(events.map((event) => state.journal.append([event])));
    expect(Number(git(remote, 'rev-list', '--count', REF))).toBeLessThan(6);
    await state.close();
    const ids = [...((await openState(at)).lock?.entries.keys() ?? [])];
    expect(ids).toEqual(events.map((event) => (event.type === 'resource-adopted' ? event.id : '')));
  });

  it('carries an answer with the next intent, which alone waits for the remote', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    const state = await opened(at);
    const before = git(remote, 'rev-parse', REF);
    await record(state, [intended('tag.a#1', { 'tag.a': {} })]);
    await record(state, [settled('tag.a#1', { 'tag.a': { id: '1' } })]);
    await record(state, [intended('tag.b#1', { 'tag.b': {} })]);
    expect(git(remote, 'rev-list', '--count', `${before}..${REF}`)).toBe('2');
    await record(state, [settled('tag.b#1', { 'tag.b': { id: '2' } })]);
    await state.close();
    expect([...((await openState(at)).lock?.entries.keys() ?? [])]).toEqual(['tag.a', 'tag.b']);
  });

  it('is begun by nobody on another target', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    await release(at);
    const before = git(remote, 'rev-parse', REF);
    const other = openRun(clonedFrom(remote), { ...session('r2'), target: OTHER });
    await expect(other).rejects.toMatchObject({ code: 'LOCK_OTHER_TARGET' });
    expect(git(remote, 'rev-parse', REF)).toBe(before);
  });

  it('goes on from a journal beside the plan, which is moved aside', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    const { git: _git, ...local } = at;
    const before = await openRun(local, session('r0'));
    await record(before, RELEASE);
    await before.close();
    expect((await openState(at)).lock?.entries.has(TOKEN)).toBe(true);
    const state = await opened(at, 'r1');
    expect(state.lock?.lineage).toBe('lineage-1');
    await record(state, [step(1)]);
    await state.close();
    expect(existsSync(statePaths(at).journal)).toBe(false);
    const there = await openState(clonedFrom(remote));
    expect([...(there.lock?.entries.keys() ?? [])]).toEqual(expect.arrayContaining([TOKEN, 'tag.t1']));
  });

  it('takes what a journal beside the plan has more, and refuses one that tells another history', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    const { git: _git, ...local } = at;
    const before = await openRun(local, session('r0'));
    await record(before, RELEASE);
    await before.close();
    const path = statePaths(at).journal;
    const short = readFileSync(path);
    await (await opened(at, 'r1')).close();
    writeFileSync(path, short, { mode: 0o600 });
    const more = await openRun(local, session('r2'));
    await record(more, [step(7)]);
    await more.close();
    await (await opened(at, 'r3')).close();
    const there = await openState(clonedFrom(remote));
    expect(there.lock?.entries.has('tag.t7')).toBe(true);

    writeFileSync(path, short, { mode: 0o600 });
    const another = await openRun(local, session('r4'));
    await record(another, [step(8)]);
    await another.close();
    await expect(openState(at)).rejects.toMatchObject({ code: 'JOURNAL_DIVERGED' });
    await expect(openRun(at, session('r5'))).rejects.toMatchObject({ code: 'JOURNAL_DIVERGED' });
  });
});

describe('a run in Git whose runner is gone', () => {
  it('loses nothing: a fresh clone holds all that was recorded, once the lock is freed', async () => {
    const remote = bareRemote();
    const lost = await opened(clonedFrom(remote), 'r1');
    await record(lost, RELEASE);
    const at = clonedFrom(remote);
    await expect(openRun(at, session('r2'))).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect((await openState(at)).lock?.entries.has(TOKEN)).toBe(true);
    await (await findHolder(at))?.free();
    const state = await opened(at, 'r2');
    expect(state.lock?.entries.has(TOKEN)).toBe(true);
    expect(state.state.attempts.size).toBe(1);
  });

  it('is fenced once it was unlocked: its next record fails, and so does every later one', async () => {
    const remote = bareRemote();
    const old = await opened(clonedFrom(remote), 'r1');
    await record(old, [step(1)]);
    await (await findHolder(clonedFrom(remote)))?.free();
    await expect(old.journal.append([step(2)])).rejects.toMatchObject({ code: 'RUN_FENCED' });
    await expect(old.journal.append([step(3)])).rejects.toMatchObject({ code: 'RUN_FENCED' });
    const next = await opened(clonedFrom(remote), 'r2');
    await old.close();
    await record(next, [step(4)]);
    expect([...(next.lock?.entries.keys() ?? [])]).toEqual(['tag.t1', 'tag.t4']);
    expect((await findHolder(clonedFrom(remote)))?.holder.run).toBe('r2');
  });

  it('may have answers that the remote never took, but neither an intent after them nor a lockfile with them', async () => {
    const remote = bareRemote();
    const at = clonedFrom(remote);
    const old = await opened(at, 'r1');
    await record(old, [intended('tag.a#1', { 'tag.a': {} })]);
    await (await findHolder(clonedFrom(remote)))?.free();
    await record(old, [settled('tag.a#1', { 'tag.a': { id: '1' } })]);
    await expect(old.journal.append([intended('tag.b#1', { 'tag.b': {} })])).rejects.toMatchObject({
      code: 'RUN_FENCED',
    });
    if (old.lock !== undefined) await old.writeLockfile(old.lock);
    await old.close();
    expect(existsSync(statePaths(at).lockfile)).toBe(false);
    const there = await openState(clonedFrom(remote));
    expect(there.state.attempts.get('tag.a#1')?.settled).toBeUndefined();
    expect(there.state.attempts.has('tag.b#1')).toBe(false);
  });

  it('is taken over without being asked for when its process provably died', async () => {
    const remote = bareRemote();
    const host = machine('host-1', { pid: 7, startOf: (pid) => (pid === 7 ? 'start-7' : undefined) });
    const old = await openRun(clonedFrom(remote), { ...SESSION, machine: host });
    const next = await openRun(clonedFrom(remote), { ...session('r2', 'host-1') });
    expect(next.tookOver?.run).toBe('r1');
    await expect(old.journal.append([step(1)])).rejects.toMatchObject({ code: 'RUN_FENCED' });
    await record(next, [step(2)]);
    await Promise.all([old.close(), next.close()]);
  });

  it('keeps its lock when it records something while a person unlocks it', async () => {
    const remote = bareRemote();
    const alive = await opened(clonedFrom(remote), 'r1');
    const held = await findHolder(clonedFrom(remote));
    await record(alive, [step(1)]);
    await expect(held?.free()).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await record(alive, [step(2)]);
    expect(alive.lock?.entries.size).toBe(2);
  });
});

describe('a push', () => {
  it('whose answer is lost counts when the remote has it', async () => {
    const remote = bareRemote();
    const pushes = wrapGit('push', '"$GIT" "$@" >/dev/null 2>&1; exit 128');
    const state = await opened(clonedFrom(remote));
    pushes.arm();
    await record(state, [step(1)]);
    await record(state, [step(2)]);
    expect((await openState(clonedFrom(remote))).lock?.entries.size).toBe(2);
    expect(git(remote, 'rev-list', '--count', REF)).toBe('3');
  });

  it('that fails for a moment is repeated, and stands in the journal once', async () => {
    const remote = bareRemote();
    const pushes = wrapGit('push', 'echo x >> "$COUNT"; [ $(wc -l < "$COUNT") -gt 2 ] || exit 128');
    const state = await opened(clonedFrom(remote));
    pushes.arm();
    await record(state, [step(1)]);
    expect(git(remote, 'rev-list', '--count', REF)).toBe('2');
  });

  it(
    'that never comes through ends the journal',
    async () => {
      const remote = bareRemote();
      const pushes = wrapGit('push', 'exit 128');
      const state = await opened(clonedFrom(remote));
      pushes.arm();
      await expect(state.journal.append([step(1)])).rejects.toMatchObject({ code: 'STATE_REMOTE' });
      await expect(state.journal.append([step(2)])).rejects.toMatchObject({ code: 'STATE_REMOTE' });
      await state.close();
      expect(git(remote, 'rev-list', '--count', REF)).toBe('1');
    },
    LONG,
  );

  it(
    'that the server declines says why, without what it may not say',
    async () => {
      const remote = bareRemote();
      const hook = '#!/bin/sh\nprintf "no \\033[31mroom" >&2\nexit 1\n';
      writeFileSync(join(remote, 'hooks/pre-receive'), hook, { mode: 0o755 });
      const declined = openRun(clonedFrom(remote), session('r1'));
      await expect(declined).rejects.toMatchObject({ code: 'STATE_REMOTE' });
      await expect(declined).rejects.toThrow(/no .*room/);
      await expect(declined).rejects.not.toThrow('\u001b');
    },
    LONG,
  );

  it('shows no password of an address', async () => {
    const at = clonedFrom('http://ann:canary-4711@127.0.0.1:9/remote.git');
    const asked = openState(at);
    await expect(asked).rejects.toMatchObject({ code: 'STATE_REMOTE' });
    await expect(asked).rejects.not.toThrow('canary-4711');
  });
});
