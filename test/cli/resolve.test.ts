import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { windlass, windlassProcess } from './command.js';
import { besidePlatform, startListening } from './detached.js';

const LONG = 180_000;
const STEP = 'contract.main.NoticeBoard#1';
/** The first contract that the first development wallet makes. */
const FIRST = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

interface Status {
  readonly steps: readonly { readonly step: string; readonly state: string }[];
  readonly doubts: readonly {
    readonly step: string;
    readonly state: string;
    readonly answer: unknown;
    readonly effects: readonly unknown[];
    readonly lines: readonly string[];
  }[];
}

async function statusOf(cwd: string): Promise<Status> {
  return JSON.parse((await windlass(['status', '--format', 'json'], { cwd })).stdout) as Status;
}

async function killedAt(cwd: string, failpoint: string): Promise<void> {
  const killed = await windlassProcess(['apply', '--yes'], {
    cwd,
    env: { WINDLASS_FAILPOINT: failpoint },
  });
  expect(killed.code).toBeNull();
}

async function lockOf(cwd: string): Promise<string> {
  return readFile(join(cwd, 'windlass.local.lock.json'), 'utf8');
}

async function deployments(cwd: string): Promise<number> {
  const { api_url } = JSON.parse(await readFile(join(cwd, '.windlass/platform.json'), 'utf8')) as {
    readonly api_url: string;
  };
  const { rpc_url } = (await (await fetch(`${api_url}/health`)).json()) as { readonly rpc_url: string };
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionCount' };
  const params = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', 'latest'];
  const answer = await fetch(rpc_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, params }),
  });
  return Number(((await answer.json()) as { readonly result: string }).result);
}

describe('a step whose outcome is not known', () => {
  it(
    'is taken over by its address when that is the right one, and never declared absent when it can be read',
    async () => {
      await besidePlatform('minimal', async (cwd) => {
        await killedAt(cwd, 'request.answered:3=sigkill');
        const status = await windlass(['status'], { cwd });
        expect(status.code).toBe(7);
        expect(status.stdout).toContain(`windlass resolve '${STEP}' --adopt address=0xADDRESS`);
        await expect.poll(() => deployments(cwd), { timeout: 30_000 }).toBe(1);

        const resolve = (...args: string[]): ReturnType<typeof windlass> =>
          windlass(['resolve', STEP, ...args], { cwd });
        const unsure = await resolve('--absent', '--statement', 'nothing there');
        expect(unsure).toMatchObject({ code: 3, stdout: '' });
        expect(unsure.stderr).toContain('CLI_CONFIRMATION_MISSING');
        const sure = ['--absent', '--statement', 'nothing', '--accept-possible-duplicate'];
        expect((await resolve(...sure)).stderr).toContain('CLI_CONFIRMATION_MISSING');
        expect((await resolve(...sure, '--confirm', 'tag.other#1')).stderr).toContain('CLI_DECLINED');
        const shown = await resolve(...sure, '--confirm', STEP);
        expect(shown.code).toBe(5);
        expect(shown.stderr).toContain('RESOLVE_CONTRADICTED');
        const wrong = await resolve('--adopt', `address=${FIRST.replace('5F', '6F').toLowerCase()}`);
        expect(wrong.code).toBe(5);
        expect(wrong.stderr).toContain('RESOLVE_CONTRADICTED');
        expect((await resolve('--adopt', 'token=1')).stderr).toContain('CLI_USAGE');
        expect((await statusOf(cwd)).doubts).toHaveLength(1);

        const taken = await resolve('--adopt', `address=${FIRST}`, '--by', 'ann', '--format', 'json');
        expect(taken.code).toBe(0);
        expect(JSON.parse(taken.stdout)).toMatchObject({
          step: STEP,
          adopted: { 'contract.main.NoticeBoard': { grade: 'B', outputs: { address: FIRST } } },
        });
        expect(await lockOf(cwd)).toContain(FIRST);
        const again = await windlass(['apply'], { cwd });
        expect(again).toMatchObject({ code: 0 });
        expect(await deployments(cwd)).toBe(1);
        expect((await resolve('--adopt', `address=${FIRST}`)).stderr).toContain('RESOLVE_NOT_OPEN');
      });
    },
    LONG,
  );

  it(
    'is sent again when a person says that it had no effect, and shouts when a sign of one comes late',
    async () => {
      await besidePlatform('minimal', async (cwd) => {
        // The eighth sync makes the intent of the deployment durable; nothing of it was sent.
        await killedAt(cwd, 'journal.synced:8=sigkill');
        expect((await statusOf(cwd)).doubts).toMatchObject([{ step: STEP, state: 'open', answer: null }]);
        const absent = ['--absent', '--statement', 'no transaction', '--confirm', STEP];
        const said = await windlass(['resolve', STEP, ...absent, '--accept-possible-duplicate'], { cwd });
        expect(said.code).toBe(0);
        const applied = await windlass(['apply', '--yes'], { cwd });
        expect(applied.code).toBe(0);
        expect(await lockOf(cwd)).toContain('contract.main.NoticeBoard#2');
        expect(await deployments(cwd)).toBe(1);

        const listener = await startListening(cwd);
        const posted = await fetch(`${listener.url}/cb/${await tokenOf(cwd, STEP)}`, {
          method: 'POST',
          body: JSON.stringify({ status: 'Completed', message: 'late', deployed_contract_addresses: [] }),
        });
        expect(posted.status).toBe(200);
        expect(await listener.stop()).toBe(0);
        const late = await windlass(['apply', '--yes'], { cwd });
        expect(late.code).toBe(8);
        expect(late.stderr).toContain('STEP_DUPLICATE');
        const told = await statusOf(cwd);
        expect(told.doubts).toMatchObject([
          { step: STEP, state: 'duplicate', effects: [{ step: STEP }, { facts: { address: FIRST } }] },
        ]);
        const kept = await windlass(['resolve', STEP, '--keep', '--statement', 'both looked at'], { cwd });
        expect(kept.code).toBe(0);
        expect(await windlass(['apply'], { cwd })).toMatchObject({ code: 0 });
        expect(await deployments(cwd)).toBe(1);
      });
    },
    LONG,
  );

  it(
    'is not sent again when a sign of its effect comes before that, and nothing proves either',
    async () => {
      await besidePlatform('minimal', async (cwd) => {
        await killedAt(cwd, 'journal.synced:8=sigkill');
        const absent = ['--absent', '--statement', 'no transaction', '--confirm', STEP];
        const said = await windlass(['resolve', STEP, ...absent, '--accept-possible-duplicate'], { cwd });
        expect(said.code).toBe(0);
        const listener = await startListening(cwd);
        const body = JSON.stringify({ status: 'Completed', deployed_contract_addresses: [] });
        const path = `${listener.url}/cb/${await tokenOf(cwd, STEP)}`;
        expect((await fetch(path, { method: 'POST', body })).status).toBe(200);
        expect(await listener.stop()).toBe(0);

        const doubtful = await windlass(['apply', '--yes'], { cwd });
        expect(doubtful.code).toBe(8);
        expect(doubtful.stderr).toContain('STEP_UNDECIDED');
        expect((await statusOf(cwd)).doubts).toMatchObject([{ step: STEP, state: 'reopened' }]);
        expect(await deployments(cwd)).toBe(0);
      });
    },
    LONG,
  );
});

describe('what exists already', () => {
  it(
    'enters the lock when it is as planned, and is refused by field when it differs',
    async () => {
      await besidePlatform('minimal', async (cwd) => {
        expect((await windlass(['apply', '--yes'], { cwd })).code).toBe(0);
        const slug =
          /"slug": "([^"]+)"/.exec((await lockOf(cwd)).split('version.board@1.0.0"').at(-1) ?? '')?.[1] ?? '';
        await rm(join(cwd, '.windlass/env'), { recursive: true });
        await rm(join(cwd, 'windlass.local.lock.json'));

        const adopt = (...args: string[]): ReturnType<typeof windlass> =>
          windlass(['adopt', ...args], { cwd });
        expect((await adopt('tag.none', 'id=1')).stderr).toContain('CHANGE_UNKNOWN_ID');
        expect((await adopt('wallet.keeper', `address=${FIRST}`)).stderr).toContain('ADOPT_REFUSED');
        expect((await adopt('project.board', 'slug=nowhere')).code).toBe(5);
        expect(await adopt('project.board', 'slug=board')).toMatchObject({ code: 0 });

        const path = join(cwd, 'contracts/NoticeBoard.sol');
        const source = await readFile(path, 'utf8');
        await writeFile(path, `${source}// changed\n`);
        const differs = await adopt('version.board@1.0.0', `slug=${slug}`);
        expect(differs.code).toBe(5);
        expect(differs.stderr).toMatch(/ADOPT_CONTRADICTED.*sources\[NoticeBoard\.sol\]/);
        await writeFile(path, source);
        expect(await adopt('version.board@1.0.0', `slug=${slug}`)).toMatchObject({ code: 0 });

        expect(await adopt('contract.main.NoticeBoard', `address=${FIRST}`)).toMatchObject({ code: 0 });
        expect((await adopt('contract.main.NoticeBoard', `address=${FIRST}`)).stderr).toContain(
          'ADOPT_REFUSED',
        );
        const done = await windlass(['apply'], { cwd });
        expect(done.code).toBe(0);
        expect(done.stderr).toContain('Nothing to do');
        // Without its transaction, no read shows who deployed it: it is locked on a person's word, and said to be.
        const verified = await windlass(['verify'], { cwd });
        expect(verified.code).toBe(0);
        expect(verified.stdout + verified.stderr).toMatch(
          /contract\.main\.NoticeBoard.*never compared: wallet/s,
        );
        const planned = await windlass(['plan'], { cwd });
        expect(planned.stdout).toMatch(/wallet: adopted, and never compared/);
        expect(await deployments(cwd)).toBe(1);
      });
    },
    LONG,
  );
});

/** The callback token of a step: the one whose digest its intent holds. */
async function tokenOf(cwd: string, step: string): Promise<string> {
  const folder = join(cwd, '.windlass/env/local');
  const intents = (await readFile(join(folder, 'journal.jsonl'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly e: { type: string; step?: string; token?: string } }).e);
  const digest = intents.find((event) => event.type === 'step-intended' && event.step === step)?.token;
  const tokens = (await readFile(join(folder, 'tokens'), 'utf8')).trimEnd().split('\n');
  return (
    tokens.find((token) => `sha256:${createHash('sha256').update(token).digest('hex')}` === digest) ?? 'none'
  );
}
