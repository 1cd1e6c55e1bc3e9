import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { findChromium, openBrowser, openPage, type Watched } from '../support/browser.js';
import { PNG } from './certificate-samples.js';
import { at, idAt, listAt, textAt } from './client.js';
import { releaseEverything, type ConsoleWorld } from './console-world.js';
import { openReleases, type Releases } from './releases.js';

const chromium = findChromium();

/** A name that shows as another, and looks like markup. */
const HOSTILE = '<b>Trust\u202Egnp.exe</b>';

const REVERTS = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Picky { constructor(uint256 a) { require(a > 5, "a must be above five"); } }`;

const BROKEN = 'pragma solidity ^0.8.20;\ncontract Broken {\n  uint256 x = ;\n}\n';

let releases: Releases;
let world: ConsoleWorld;
/** Answers what is asked of it; the callbacks of the failed deployment and of the hostile mint go there. */
let receiver: { readonly server: Server; readonly url: string; readonly posts: string[]; status: number };

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20);
}

async function openReceiver(): Promise<typeof receiver> {
  const posts: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      posts.push(text);
      response.writeHead(receiver.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${String(port)}/secret`, posts, status: 503 };
}

async function result(path: string, query: Readonly<Record<string, string>> = {}): Promise<Json> {
  return at((await releases.api.get(`/_platform/console${path}`, query)).body, 'result') ?? null;
}

beforeAll(async () => {
  releases = await openReleases();
  world = await releaseEverything(releases);
  receiver = await openReceiver();
  const { api, platform } = releases;
  const project = await releases.project(HOSTILE);
  const versions = `/api/contract/projects/${project}/versions`;
  const broken = await releases.submit(versions, { version: '0.1.0', sources: { 'Broken.sol': BROKEN } });
  await releases.settled(project, textAt(broken.body, 'result.slug'));
  const picky = await releases.submit(versions, { version: '0.2.0', sources: { 'Picky.sol': REVERTS } });
  const slug = textAt(picky.body, 'result.slug');
  const [artifact] = listAt(await releases.settled(project, slug), 'artifacts');
  const wallet = platform.wallets[0] ?? '';
  await api.post(`${versions}/${slug}/deploy`, {
    wallet_options: { type: 'organisation', address: wallet },
    deployment_params: [{ sc_artifact_id: Number(artifact?.['id']), params: { a: '1' }, order: 1 }],
    callback_url: receiver.url,
  });
  const attributes = JSON.stringify([
    { trait: 'ref', value: 'mine, not the plan’s' },
    { trait: 'ref', value: 'oxz6spvjdzpbucaq' },
  ]);
  const mint = {
    wallet_address: wallet,
    to: wallet,
    contract_address: world.diplomas,
    name: HOSTILE,
    attributes,
  };
  const form = { ...mint, description: 'x'.repeat(10_000), callback_url: receiver.url };
  await api.form('/api/certificate/mint-certificate', form, { filename: 'a.png', bytes: PNG });
  await until(() => receiver.posts.length >= 2);
}, 120_000);

afterAll(async () => {
  await releases?.close();
  receiver?.server.close();
});

describe('the numbers of the overview', () => {
  it('are those of the lists that they lead to', async () => {
    const counts = await result('/overview');
    const lists: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
      ['projects', '/projects', {}],
      ['versions', '/versions', {}],
      ['versions_failed', '/versions', { status: 'compile_failed' }],
      ['deployments_failed', '/deployments', { status: 'Error' }],
      ['contracts', '/contracts', { status: 'success' }],
      ['transactions', '/transactions', {}],
      ['transactions_failed', '/transactions', { status: 'failed' }],
      ['audit_records', '/audit', {}],
      ['certificates', '/certificates', { status: 'success' }],
      ['wallets', '/wallets', {}],
    ];
    for (const [name, path, query] of lists)
      expect([name, at(await result(path, query), 'total')]).toEqual([name, at(counts, name)]);
    expect([at(counts, 'versions_failed'), at(counts, 'deployments_failed')]).toEqual([1, 1]);
  });
});

describe('a callback', () => {
  it('is named by what it tells of, a certificate by its own number, and leads there', async () => {
    const items = listAt(await result('/callbacks'), 'items');
    const links = items.map(({ about }) => [
      textAt(about ?? null, 'text'),
      (listAt(about ?? null, 'path') as readonly unknown[] as readonly string[]).join('/'),
    ]);
    expect(links).toEqual(
      expect.arrayContaining([
        ['mint of DIP 2', `certificates/${world.diplomas}/2`],
        ['mint of DIP 1', `certificates/${world.diplomas}/1`],
        ['audit record 1', 'audit/1'],
        ['audit contract releases', 'audit'],
        ['certificate contract diplomas', `certificates/${world.diplomas}`],
        [`deployment ${world.deployment}`, `deployments/${world.deployment}`],
      ]),
    );
  });
});

describe('the plan’s key', () => {
  it('of a certificate stands apart from what its author wrote, even by the same name', async () => {
    expect(await result(`/certificates/${world.diplomas}/2`)).toMatchObject({
      plan_key: 'oxz6spvjdzpbucaq',
      attributes: [{ trait: 'ref', value: 'mine, not the plan’s' }],
    });
    expect(await result(`/certificates/${world.diplomas}/1`)).toMatchObject({
      plan_key: null,
      attributes: [{ trait: 'Programme' }],
    });
  });

  it('of an audit record stands apart from its metadata', async () => {
    const [first] = listAt(await result('/audit'), 'items');
    const metadata = JSON.stringify({ d: 'x'.repeat(43), k: 'sszz6xscczcg4q53', v: { release: '1.0.0' } });
    const record = {
      contract_address: textAt(first!, 'contract_address'),
      metadata,
      category_id: [],
      tag_id: [],
    };
    await releases.api.post('/api/audit/audit', {
      ...record,
      wallet_address: releases.platform.wallets[0] ?? '',
    });
    const [newest] = listAt(await result('/audit'), 'items');
    expect(newest).toMatchObject({ metadata: '{"release":"1.0.0"}}' });
    expect(await result(`/audit/${idAt(newest!, 'id')}`)).toMatchObject({
      plan_key: 'sszz6xscczcg4q53',
      content: { of: { release: '1.0.0' } },
      metadata,
    });
    expect(await result('/audit/1')).toMatchObject({ plan_key: null, content: null });
  });
});

describe('audit records', () => {
  it('are narrowed to a contract, a category or a tag', async () => {
    const { contracts } = (await result('/audit-filters')) as { contracts: readonly { address: string }[] };
    expect(at(await result('/audit', { contract: contracts[0]?.address ?? '' }), 'total')).toBeGreaterThan(0);
    for (const query of [{ contract: 'none' }, { category: '1' }, { tag: "1' OR 1=1" }])
      expect(at(await result('/audit', query), 'total')).toBe(0);
  });
});

describe.skipIf(chromium === undefined)('the console when something went wrong', () => {
  let browser: Browser;
  let watched: Watched;

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '');
  });

  afterEach(async () => {
    expect([watched.faults, watched.strangers]).toEqual([[], []]);
    await watched.page.context().close();
  });

  afterAll(() => browser?.close());

  async function signedIn(path = ''): Promise<Page> {
    const { platform } = releases;
    watched = await openPage(browser, platform.apiUrl);
    await watched.page.goto(platform.consoleLink(platform.apiKey!.client_id));
    await watched.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    if (path !== '') await watched.page.goto(`${platform.consoleUrl}#/${path}`);
    return watched.page;
  }

  it('leads from the home page to the version that did not compile, with its error line by line', async () => {
    const page = await signedIn();
    await page.getByRole('link', { name: '1 version did not compile' }).click();
    await page.getByRole('heading', { level: 1, name: 'Versions' }).waitFor();
    const rows = page
      .getByRole('table', { name: 'Versions' })
      .getByRole('row')
      .filter({ hasText: 'compile failed' });
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    const error = rows.getByRole('region');
    expect(await error.innerText()).toMatch(/ParserError[^\n]*\n\s+--> Broken\.sol:3:15:\n/);
    await page
      .getByRole('navigation', { name: 'Projects or versions' })
      .getByRole('link', { name: 'Projects' })
      .click();
    await page.getByRole('row').filter({ hasText: '1 failed' }).waitFor();
  });

  it('says what sending a callback again came to, and sends once when a person clicks twice', async () => {
    const [callback] = listAt(await result('/callbacks'), 'items').filter(
      ({ about }) => textAt(about ?? null, 'text') === 'mint of DIP 2',
    );
    const page = await signedIn(`requests/callbacks/${idAt(callback!, 'id')}`);
    const button = page.getByRole('button', { name: 'Resend' });
    // Nothing goes out by itself meanwhile.
    await releases.api.post('/_platform/clock', { freeze: true });
    const before = receiver.posts.length;
    await button.dblclick();
    const told = page.getByRole('main').getByRole('status');
    await told.getByText('but not acknowledged: 503. It goes out again at').waitFor();
    expect(await told.innerText()).toMatch(
      /was sent to http:\/\/127\.0\.0\.1:\d+ at [\d-]+ [\d:]+ UTC \(sending \d+\)/,
    );
    expect(receiver.posts.length).toBe(before + 1);
    receiver.status = 200;
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Resend');
    await button.click();
    await told.getByText('and acknowledged with 200.').waitFor();
    await page.getByText('not again').waitFor();
    expect(receiver.posts.length).toBe(before + 2);
    await releases.api.post('/_platform/clock', { resume: true });
  });

  it('shows what hostile people call their things as text, spelled out where it would show as another', async () => {
    const page = await signedIn('projects');
    await page.getByRole('link', { name: '<b>Trust\\u{202E}gnp.exe</b>' }).waitFor();
    await page.goto(`${releases.platform.consoleUrl}#/certificates/${world.diplomas}/2`);
    await page.getByRole('heading', { level: 1, name: '<b>Trust\\u{202E}gnp.exe</b>' }).waitFor();
    expect(await page.title()).toBe('<b>Trust\\u{202E}gnp.exe</b> · Windlass');
    expect((await page.getByRole('main').innerText()).length).toBeLessThan(2500);
    await page.getByText('All 10,000 characters').click();
    expect((await page.getByRole('region', { name: 'The whole text' }).innerText()).length).toBe(10_000);
    expect(await page.getByText('Plan key').count()).toBe(1);
  });

  it('tells times with their zone, and keeps “ago” true while the page stands open', async () => {
    const page = await signedIn(`deployments/${world.deployment}`);
    const time = page.locator('dd time').first();
    await time.waitFor();
    expect(await time.innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    const ago = page.locator('dd:has(time)').first();
    expect(await ago.innerText()).toContain('(');
    await page.clock.install();
    await page.reload();
    await time.waitFor();
    await page.clock.runFor('01:00:00');
    await expect.poll(() => ago.innerText()).toMatch(/\((1 h|\d\d min) ago\)/);
  });

  it('says that a filter leaves nothing, and the way back, in place of how to begin', async () => {
    const page = await signedIn('deployments?status=pending');
    await page.getByText('Nothing is like this.').waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByRole('link', { name: world.deployment }).waitFor();
    await page.goBack();
    await page.getByText('Nothing is like this.').waitFor();
    expect(await page.title()).toBe('Deployments · Windlass');
    await page.goto(`${releases.platform.consoleUrl}#/certificates?page=9`);
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await page.getByRole('link', { name: /Diploma 1/ }).waitFor();
  });

  it('copies over plain HTTP too, and says so to whoever does not see it', async () => {
    const page = await signedIn();
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.reload();
    const button = page.getByRole('button', { name: 'Copy the hash of the first block' });
    await button.click();
    await page.getByText('Copied the hash of the first block.').waitFor({ state: 'attached' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Copy the hash of the first block');
  });
});
