import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openKeeper } from '../../src/cli/keeper.js';
import { probeCallbacks } from '../../src/cli/callback-probe.js';
import { openSpoolInbox } from '../../src/cli/spool-inbox.js';
import { SYSTEM_CLOCK } from '../../src/cli/clock.js';
import { openAttemptTokens, type AttemptTokens } from '../../src/disk/attempt-tokens.js';
import { statePaths, type StatePaths, type StatePlace } from '../../src/disk/state-paths.js';
import type { StepId } from '../../src/model/id.js';
import { openInbox } from '../../src/remote/inbox.js';
import { LineageState } from '../../src/state/project.js';

const AT = '2026-01-01T00:00:00.000Z';
const STEP = 'tag.v1#1';

function place(): StatePlace {
  const root = mkdtempSync(join(tmpdir(), 'windlass-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return { root, planFile: 'windlass.yaml', environment: 'local' };
}

/** A lineage with one attempt, and the token that was given away for it. */
async function sentOne(
  paths: StatePaths,
): Promise<{ state: LineageState; tokens: AttemptTokens; token: string }> {
  const tokens = await openAttemptTokens(paths.tokens);
  onTestFinished(() => tokens.close());
  const { token, digest } = await tokens.issue(STEP);
  const state = new LineageState([
    {
      type: 'lineage-started',
      at: AT,
      version: 1,
      lineage: 'l',
      target: { origin: 'local', client: digest },
    },
    {
      type: 'step-intended',
      at: AT,
      step: STEP,
      resources: ['tag.v1'],
      operation: 'tag.create',
      lane: 'x',
      token: digest,
      request: digest,
      before: null,
      inputs: {},
    },
  ]);
  return { state, tokens, token };
}

async function post(port: number, token: string, body: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/cb/${token}`, { method: 'POST', body })).status;
}

describe('a listener without a run', () => {
  it('keeps what attempts get, answers probes without keeping them, and knows no one else', async () => {
    const where = place();
    const paths = statePaths(where);
    const { token } = await sentOne(paths);
    const kept: string[] = [];
    const keeper = await openKeeper({
      paths,
      host: '127.0.0.1',
      port: 0,
      anyPort: false,
      kept: (digest) => kept.push(digest),
    });
    onTestFinished(() => keeper.close());
    expect(await post(keeper.port, token, '{"status":"success"}')).toBe(200);
    expect(await post(keeper.port, token, '{"status":"success"}')).toBe(200);
    expect(await post(keeper.port, 'x'.repeat(43), '{}')).toBe(404);
    expect(kept).toHaveLength(1);
    expect(readdirSync(paths.spool)).toHaveLength(1);
    for (let n = 0; n < 15; n += 1) expect(await post(keeper.port, token, `{"n":${n}}`)).toBe(200);
    expect(await post(keeper.port, token, '{"n":99}')).toBe(503);
    expect(readdirSync(paths.spool)).toHaveLength(16);
  });

  it('is reached by a probe, which leaves nothing behind; a wrong address is told', async () => {
    const where = place();
    const probe = (callbacks: { url?: string }): ReturnType<typeof probeCallbacks> =>
      probeCallbacks({ name: 'local', callbacks }, where);
    expect(await probe({})).toMatchObject({ arrived: true });
    const { folder, spool } = statePaths(where);
    expect(readdirSync(spool)).toEqual([]);
    expect(readdirSync(folder)).not.toContain('probe-token');
    await expect(probe({ url: 'http://127.0.0.1:1/hooks' })).rejects.toMatchObject({
      code: 'CALLBACKS_PORT',
    });
    expect(await probeCallbacks({ name: 'local', callbacks: 'off' }, where)).toMatchObject({ arrived: true });
  });
});

describe('a run beside a listener', () => {
  it('takes what the listener keeps, and listens itself when that one dies', async () => {
    const paths = statePaths(place());
    const { state, tokens, token } = await sentOne(paths);
    const keeper = await openKeeper({
      paths,
      host: '127.0.0.1',
      port: 0,
      anyPort: false,
      kept: () => undefined,
    });
    let alive = true;
    const heard: (readonly [StepId, unknown])[] = [];
    const lookup = (text: string): { step: StepId | undefined } | undefined => {
      const found = tokens.lookup(text);
      return found && { step: found.step ?? state.stepOfToken(found.digest) };
    };
    const store = { issue: (step: StepId) => tokens.issue(step), lookup };
    const inbox = openSpoolInbox({
      spool: paths.spool,
      state,
      tokens: store,
      url: `http://127.0.0.1:${keeper.port}`,
      port: keeper.port,
      isListening: async () => alive,
      takeOver: () =>
        openInbox({ callbacks: {}, tokens: store, clock: SYSTEM_CLOCK, port: keeper.port, anyPort: false }),
    });
    onTestFinished(() => inbox.close());
    inbox.receive(async (step, body) => void heard.push([step, body]));
    expect(await post(keeper.port, token, '{"n":1}')).toBe(200);
    await expect.poll(() => heard).toEqual([[STEP, { n: 1 }]]);
    await keeper.close();
    alive = false;
    await expect.poll(() => post(keeper.port, token, '{"n":2}').catch(() => 0)).toBe(200);
    expect(heard.at(-1)).toEqual([STEP, { n: 2 }]);
    expect((await inbox.open('tag.v2#1')).url).toContain(`:${keeper.port}/cb/`);
  });
});
