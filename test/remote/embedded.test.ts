import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readHealth, type PlatformHealth } from '../../src/cli/local-platform.js';
import { localTarget } from '../../src/cli/target.js';
import { digestOfBytes } from '../../src/model/canonical.js';
import type { StepId } from '../../src/model/id.js';
import { member, textMember, type Json } from '../../src/model/json.js';
import type { ReadRequest } from '../../src/kinds/operation.js';
import { readReceipt } from '../../src/kinds/receipt.js';
import { createdAddress } from '../../src/kinds/transaction.js';
import { startPlatform, type Platform } from '../../src/platform/platform.js';
import { callbackClaim, callbackFields } from '../../src/protocol/envelope.js';
import { openInbox, type OpenInbox } from '../../src/remote/inbox.js';
import { openService, type OpenService } from '../../src/remote/service.js';
import { aService, realClock, serve, type Seen } from './support.js';

let folder: string;
let platform: Platform;
let service: OpenService;
let inbox: OpenInbox;
let health: PlatformHealth;
const arrived = new Map<StepId, (body: Json) => void>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windlass-remote-'));
  platform = await startPlatform({
    dataDir: join(folder, 'data'),
    cacheDir: join(folder, 'cache'),
    bcryptCost: 4,
    failed: () => undefined,
  });
  health = await readHealth(platform.apiUrl);
  service = openService({
    baseUrl: platform.apiUrl,
    credentials: async () => ({
      clientId: platform.apiKey?.client_id ?? '',
      clientSecret: platform.apiKey?.client_secret ?? '',
    }),
    clock: realClock,
    files: async () => Buffer.from('89504e470d0a1a0a', 'hex'),
    secrets: async () => 'alice@example.com',
    capabilities: new Set(health.capabilities),
    rpcUrl: platform.rpcUrl,
    signs: health.signs,
  });
  const steps = new Map<string, StepId>();
  inbox = await openInbox({
    callbacks: {},
    anyPort: true,
    clock: realClock,
    tokens: {
      issue: async (step) => {
        const token = randomBytes(32).toString('base64url');
        steps.set(token, step);
        return { token, digest: digestOfBytes(token) };
      },
      lookup: (token) => ({ step: steps.get(token) }),
    },
  });
  inbox.receive(async (step, body) => arrived.get(step)?.(body));
}, 60_000);

afterAll(async () => {
  await service.close();
  await inbox.close();
  await platform.stop();
  await rm(folder, { recursive: true });
});

/** An attempt's callback address, and what comes there. */
async function anAttempt(step: StepId): Promise<{ url: string | undefined; callback: Promise<Json> }> {
  const callback = new Promise<Json>((resolve) => arrived.set(step, resolve));
  return { url: (await inbox.open(step)).url, callback };
}

test('the embedded platform says who it is and what it offers', () => {
  expect(localTarget(health)).toMatchObject({ origin: 'local' });
  expect(localTarget(health).chain).toMatch(/^\d+:0x[0-9a-f]{64}$/);
  expect(health.capabilities).toContain('projects');
  expect(health).toMatchObject({ rpcUrl: platform.rpcUrl, signs: true });
});

test('a write is accepted, called back and found on the chain', async () => {
  const wallet = platform.wallets[0] ?? '';
  const { url, callback } = await anAttempt('certificate-contract.diplomas#1');
  const answer = await service.write(
    {
      endpoint: 'certificate.contract.create',
      params: {},
      body: {
        wallet_address: wallet,
        name: 'Diploma',
        field: { wallet_address_owner: wallet, max_supply: 0, name: 'Diploma', symbol: 'DIP' },
      },
      takesCallback: true,
    },
    url,
  );
  expect(answer).toMatchObject({ outcome: 'accepted' });
  const body = await callback;
  expect(callbackClaim(body)).toBe('success');
  const address = createdAddress(callbackFields(body)) ?? '';
  const hash = textMember(answer.result, 'transactionHash') ?? '';
  const receipt = await service.read({ type: 'receipt', hash });
  expect(receipt).toMatchObject({ type: 'found', source: 'chain' });
  expect(receipt.type === 'found' && readReceipt(receipt.value)?.contractAddress?.toLowerCase()).toBe(
    address.toLowerCase(),
  );
  expect(await service.read({ type: 'code', address })).toMatchObject({ type: 'found', source: 'chain' });
  expect(await service.read({ type: 'account', address: wallet, count: 1 })).toMatchObject({
    type: 'found',
    source: 'chain',
  });
});

test('lists are read whole over several pages', async () => {
  const names = Array.from({ length: 23 }, (_, index) => `project ${index}`);
  for (const project_name of names) {
    const request = {
      endpoint: 'project.create',
      params: {},
      body: { project_name },
      takesCallback: false,
    } as const;
    expect((await service.write(request, undefined)).outcome).toBe('accepted');
  }
  const list = await service.read({ type: 'service', endpoint: 'project.list' });
  const found = list.type === 'found' ? (list.value as readonly Json[]) : [];
  expect(found).toHaveLength(names.length);
  expect(new Set(found.map((item) => textMember(item, 'project_name')))).toEqual(new Set(names));
});

test('what the platform refuses is rejected, and what it does not have is absent', async () => {
  const body = { name: '', email: { $secret: { env: 'EMAIL' } }, ic: { $personal: '900101-14-5678' } };
  const refused = await service.write(
    { endpoint: 'wallet.create-user', params: {}, body, takesCallback: false },
    undefined,
  );
  expect(refused).toMatchObject({ outcome: 'rejected', status: 422 });
  const created = await service.write(
    { endpoint: 'wallet.create-user', params: {}, body: { ...body, name: 'Alice' }, takesCallback: false },
    undefined,
  );
  expect(textMember(member(created.result, 'wallet'), 'wallet_address')).toMatch(/^0x[0-9a-fA-F]{40}$/);
  const params = { projectSlug: 'no-such-project' };
  expect(await service.read({ type: 'service', endpoint: 'project.detail', params })).toEqual({
    type: 'absent',
  });
});

test('whatever the platform answers bears the sign of its request, refusals and missing things, too', async () => {
  const { client_id: clientId = '', client_secret: clientSecret = '' } = platform.apiKey ?? {};
  const credentials = async () => ({ clientId, clientSecret });
  const careful = aService(platform.apiUrl, { credentials, executionBoundMs: 5000, signs: true });
  const params = { address: `0x${'0a'.repeat(20)}` };
  const tags: ReadRequest = { type: 'service', endpoint: 'audit.tag.list' };
  for (const settled of [true, false]) {
    const wallet: ReadRequest = { type: 'service', endpoint: 'wallet.detail', params };
    expect(await careful.read(wallet, settled)).toEqual({ type: 'absent' });
    expect(await careful.read({ type: 'file', url: '/files/none.json' }, settled)).toEqual({
      type: 'absent',
    });
    expect(await careful.read(tags, settled)).toMatchObject({ type: 'found' });
  }
  const tag = { endpoint: 'audit.tag.create', params: {}, takesCallback: false } as const;
  const named = { ...tag, body: { name: 'signed' } };
  expect(await careful.write(named, undefined)).toMatchObject({ outcome: 'accepted' });
  expect(await careful.write({ ...tag, body: {} }, undefined)).toMatchObject({ outcome: 'rejected' });
  const stranger = aService(platform.apiUrl, { signs: true });
  expect(await stranger.write(named, undefined)).toMatchObject({ outcome: 'rejected', status: 401 });
});

test('a write that the network keeps beyond the time it names has no effect when it arrives', async () => {
  const hold = { ms: 0 };
  const answers: number[] = [];
  const pass = async (request: Seen): Promise<{ readonly status: number; readonly text: string }> => {
    await realClock.sleep(hold.ms);
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const answer = await fetch(`${platform.apiUrl}${request.url}`, {
      method: request.method,
      headers: headers as Record<string, string>,
      ...(request.method === 'POST' && { body: new Uint8Array(request.body) }),
    });
    answers.push(answer.status);
    return { status: answer.status, text: await answer.text() };
  };
  const { url } = await serve((request, response) => {
    void pass(request).then(({ status, text }) => response.writeHead(status).end(text));
  });
  const { client_id: clientId = '', client_secret: clientSecret = '' } = platform.apiKey ?? {};
  const through = aService(url, {
    credentials: async () => ({ clientId, clientSecret }),
    executionBoundMs: 5000,
  });
  const tag = (name: string) =>
    through.write(
      { endpoint: 'audit.tag.create', params: {}, body: { name }, takesCallback: false },
      undefined,
    );
  expect(await tag('in time')).toMatchObject({ outcome: 'accepted' });
  hold.ms = 5200;
  expect(await tag('late')).toMatchObject({ outcome: 'ambiguous', status: 503 });
  expect(answers).toEqual([200, 503]);
  const tags = await service.read({ type: 'service', endpoint: 'audit.tag.list' });
  const names =
    tags.type === 'found' ? (tags.value as readonly Json[]).map((item) => member(item, 'name')) : [];
  expect(names).toContain('in time');
  expect(names).not.toContain('late');
}, 60_000);
