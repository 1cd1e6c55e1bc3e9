import { expect, test } from 'vitest';
import { openKeeper } from '../../src/cli/keeper.js';
import { sharedTokens } from '../../src/cli/shared-tokens.js';
import { openSpool } from '../../src/disk/callback-spool.js';
import { statePaths } from '../../src/disk/state-paths.js';
import { digestOfBytes } from '../../src/model/canonical.js';
import { bareRemote, clonedFrom } from '../disk/git-remote.js';
import { opened, record } from '../disk/git-runs.js';
import { intended } from '../state/journal-events.js';

test('a listener in one clone keeps the callbacks of a run in another, and no stranger’s', async () => {
  const remote = bareRemote();
  const place = clonedFrom(remote);
  const paths = statePaths(place);
  const at = { paths, host: '127.0.0.1', port: 0, anyPort: true, kept: () => undefined };
  const keeper = await openKeeper({ ...at, shared: sharedTokens(place) });
  try {
    const post = async (token: string): Promise<number> => {
      const address = `http://127.0.0.1:${keeper.port}/cb/${token}`;
      return (await fetch(address, { method: 'POST', body: '{"status":200}' })).status;
    };
    const token = 'a'.repeat(43);
    expect(await post(token)).toBe(404);
    const run = await opened(clonedFrom(remote));
    await record(run, [intended('tag.a#1', { 'tag.a': {} }, { token: digestOfBytes(token) })]);
    expect(await post(token)).toBe(200);
    expect(await post('b'.repeat(43))).toBe(404);
    const kept: string[] = [];
    await (await openSpool(paths.spool)).drain(async (callback) => kept.push(callback.token) > 0);
    expect(kept).toEqual([digestOfBytes(token)]);
  } finally {
    await keeper.close();
  }
}, 60_000);
