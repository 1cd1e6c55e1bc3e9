import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOW_CONTRAST, NAMELESS, violationsOf } from '../support/browser-checks.js';
import { findChromium, openBrowser, openPage, type Watched } from '../support/browser.js';
import { textAt } from './client.js';
import { releaseEverything, type ConsoleWorld } from './console-world.js';
import { openReleases, type Releases } from './releases.js';

const chromium = findChromium();

let releases: Releases;
let world: ConsoleWorld;
let browser: Browser;
let watched: Watched;

/** A page where the first organisation is signed in by a link, as a person who opens it. */
async function signedIn(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const { platform } = releases;
  watched = await openPage(browser, platform.apiUrl, options);
  await watched.page.goto(platform.consoleLink(platform.apiKey!.client_id));
  await heading(watched.page, 'Overview');
  return watched.page;
}

async function heading(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Follows a section of the console, as the mouse does. */
async function section(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true }).click();
}

/** Waits until a page has what it asked for. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main .loading').first().waitFor({ state: 'detached' });
}

const PAGES = (): readonly string[] => [
  '',
  'projects',
  'projects/registry',
  'projects/registry/1-100',
  'versions',
  'contracts',
  'deployments',
  `deployments/${world.deployment}`,
  'transactions',
  `transactions/${world.record}`,
  'audit',
  'audit/1',
  'certificates',
  `certificates/${world.diplomas}/1`,
  'wallets',
  'keys',
  'requests',
  'requests/callbacks',
  'requests/callbacks/1',
  'faults',
  'search/regis',
];

describe.skipIf(chromium === undefined)('the console in a browser', () => {
  beforeAll(async () => {
    releases = await openReleases();
    browser = await openBrowser(chromium ?? '');
    world = await releaseEverything(releases);
  });

  afterEach(async () => {
    expect(watched.faults).toEqual([]);
    expect(watched.strangers).toEqual([]);
    await watched.page.context().close();
  });

  afterAll(async () => {
    await browser?.close();
    await releases?.close();
  });

  it('takes a key once, refuses a wrong one with what to do next, keeps nothing of it, and signs out', async () => {
    const { apiUrl, consoleUrl, apiKey } = releases.platform;
    watched = await openPage(browser, apiUrl);
    const { page, faults } = watched;
    await page.goto(consoleUrl);
    await page.getByLabel('Client id').fill(apiKey!.client_id);
    await page.getByLabel('Client secret').fill('sk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const refusal = page.getByRole('alert');
    await refusal.waitFor();
    expect(await refusal.innerText()).toMatch(/HTTP 401[\s\S]*windlass platform key create/);
    // The browser itself notes a refused request; nothing else may be noted.
    expect(faults.splice(0).filter((fault) => !fault.includes('401'))).toEqual([]);
    await page.getByLabel('Client secret').fill(apiKey!.client_secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Overview');
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain(apiKey!.client_secret);
    expect(kept).not.toContain('windlass_console');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Client id').waitFor();
    await page.reload();
    await page.getByLabel('Client id').waitFor();
  });

  it('shows a project, its version, how that compiled, its ABI and its sources', async () => {
    const page = await signedIn();
    await section(page, 'Projects');
    await page.getByRole('cell', { name: 'Registry', exact: true }).getByRole('link').click();
    await page.getByRole('link', { name: '1.0.0' }).click();
    await heading(page, 'registry 1.0.0');
    await page.getByRole('combobox', { name: 'Contract' }).selectOption('Token');
    const abi = page.getByRole('table', { name: 'Interface of the contract' });
    await abi.getByRole('cell', { name: '_registry' }).waitFor();
    expect(await abi.innerText()).toMatch(/constructor[\s\S]*address _registry[\s\S]*uint256 _cap/);
    await page.getByRole('button', { name: 'Chain.sol' }).click();
    await page.getByText('contract Shop').waitFor();
    expect(await page.getByRole('table', { name: 'Deployed contracts' }).innerText()).toContain(
      world.registry,
    );
  });

  it('leads from a deployment to the receipt of its contract, and from there to the transaction', async () => {
    const page = await signedIn();
    await section(page, 'Deployments');
    await page.getByRole('link', { name: world.deployment }).click();
    await heading(page, world.deployment);
    await settled(page);
    expect(await page.getByRole('main').innerText()).toContain(world.registry);
    await page.getByText('Receipt as JSON').click();
    expect(await page.getByRole('region', { name: 'Receipt of Registry as JSON' }).innerText()).toMatch(
      /"gasUsed": \d{5,}/,
    );
    await page.locator('.receipt').getByRole('link').click();
    await heading(page, 'Transaction');
    await settled(page);
    expect(await page.getByRole('main').innerText()).toMatch(/success[\s\S]*Gas used/);
  });

  it('verifies an audit record, and says what was compared', async () => {
    const page = await signedIn();
    await section(page, 'Audit');
    await page.getByRole('table').getByRole('link', { name: '1' }).click();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Intact: the record is what was written.').waitFor();
    const checks = await page.locator('.checks').innerText();
    expect(checks).toMatch(
      /first 72 of \d+ bytes[\s\S]*SHA-256 of the metadata[\s\S]*recorded 0x[0-9a-f]{64}/,
    );
  });

  it('shows a certificate with its picture and what it says', async () => {
    const page = await signedIn();
    await section(page, 'Certificates');
    await page.getByRole('link', { name: 'Diploma 1' }).click();
    await heading(page, 'Diploma 1');
    const picture = page.getByRole('img', { name: 'Picture of Diploma 1' });
    await picture.waitFor();
    const width = (): Promise<number> => page.evaluate("document.querySelector('img.picture').naturalWidth");
    await expect.poll(width).toBe(1);
    expect(await page.getByRole('main').innerText()).toMatch(/Summa cum laude[\s\S]*Programme\s+Navigation/);
  });

  it('hides the name of a person until it is revealed, and again with the page', async () => {
    const page = await signedIn();
    await section(page, 'Wallets');
    const row = page.getByRole('row').filter({ hasText: world.person });
    await row.waitFor();
    expect(await page.content()).not.toMatch(/Alice|example\.com/);
    await row.getByRole('button', { name: 'Reveal' }).click();
    await row.getByText('Alice Tan').waitFor();
    expect(await row.innerText()).toContain('alice@example.com');
    await section(page, 'Projects');
    await section(page, 'Wallets');
    await row.getByRole('button', { name: 'Reveal' }).waitFor();
    expect(await page.content()).not.toContain('Alice');
  });

  it('shows what a callback carried and sends it again', async () => {
    const page = await signedIn();
    await section(page, 'Requests');
    await page.getByRole('link', { name: 'Callbacks' }).click();
    await page.getByRole('table').getByRole('link', { name: '1', exact: true }).click();
    await heading(page, 'Callback 1');
    await page.getByRole('link', { name: `deployment ${world.deployment}` }).waitFor();
    const before = textAt((await releases.api.get('/_platform/console/callbacks/1')).body, 'result.state');
    const carried = await page.getByRole('region', { name: 'Body of the callback' }).innerText();
    expect([before, JSON.parse(carried)]).toMatchObject(['delivered', { status: 'Completed' }]);
    const sent = page.waitForResponse((response) => response.url().endsWith('/callbacks/1/resend'));
    await page.getByRole('button', { name: 'Resend' }).click();
    expect((await sent).status()).toBe(200);
    await expect
      .poll(() => releases.receiver.total(), { timeout: 30_000 })
      .toBeGreaterThan(releases.receiver.distinct());
  });

  it('makes a key that works, shows its secret once, and revokes it after asking', async () => {
    const page = await signedIn();
    const { apiUrl } = releases.platform;
    await section(page, 'API keys');
    await page.getByLabel('Name').fill('from the console');
    await page.getByLabel('May').selectOption('read');
    await page.getByLabel('Ends').selectOption('90d');
    await page.getByRole('button', { name: 'Make key' }).click();
    await page.locator('.secret code').nth(1).waitFor();
    const [id = '', secret = ''] = await page.locator('.secret code').allInnerTexts();
    const projects = (): Promise<number> =>
      fetch(`${apiUrl}/api/contract/projects`, { headers: { client_id: id, client_secret: secret } }).then(
        ({ status }) => status,
      );
    expect(await projects()).toBe(200);
    const told = await fetch(`${apiUrl}/api/key`, { headers: { client_id: id, client_secret: secret } });
    expect(((await told.json()) as { readonly result: unknown }).result).toMatchObject({ scopes: ['read'] });
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
    const row = page.getByRole('row').filter({ hasText: 'from the console' });
    expect(await row.innerText()).toMatch(/read[\s\S]*(this hour|not yet)[\s\S]*in 90 days/);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Keep');
    await row.getByRole('button', { name: 'Keep' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(/^Revoke/);
    expect(await projects()).toBe(200);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await row.getByRole('button', { name: 'Yes, revoke' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await projects()).toBe(401);
  });

  it('adds a fault that then befalls, and takes it away; freezes the clock and lets it run', async () => {
    const page = await signedIn();
    await section(page, 'Faults and clock');
    await page.getByLabel('Operation').fill('audit.tag.create');
    await page.getByLabel('How').selectOption('refuse');
    await page.getByRole('button', { name: 'Add fault' }).click();
    await page.getByRole('cell', { name: /audit\.tag\.create/ }).waitFor();
    expect((await releases.api.post('/api/audit/tag', { name: 'v1' })).status).toBe(422);
    await page.getByRole('table', { name: 'Decisions, newest first' }).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('None: the platform behaves.').waitFor();
    expect((await releases.api.post('/api/audit/tag', { name: 'v1' })).status).toBe(200);
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByText('frozen', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Let it run' }).click();
    await page.getByText('running', { exact: true }).waitFor();
  });

  it('shows what changes without being asked again', async () => {
    const page = await signedIn();
    await section(page, 'Projects');
    await page.getByRole('cell', { name: 'Registry', exact: true }).waitFor();
    await releases.project('Made meanwhile');
    await page.getByRole('cell', { name: 'Made meanwhile' }).waitFor();
    expect(await page.getByRole('row').count()).toBeGreaterThan(2);
  });

  it('works by keyboard alone: skip, sections, rows, search, verify', async () => {
    const page = await signedIn();
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent.trim()');
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    await page.reload();
    await heading(page, 'Overview');
    await press('Tab');
    expect(await focused()).toBe('Skip to content');
    await press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await press('Slash');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await page.keyboard.type('genuine');
    await press('Enter');
    await heading(page, 'Search: genuine');
    await page.getByRole('table').waitFor();
    await press('Tab');
    expect(await focused()).toBe('Audit record 1');
    const ring = await page.evaluate(
      "getComputedStyle(document.activeElement).outlineStyle + ' ' + getComputedStyle(document.activeElement).outlineWidth",
    );
    expect(ring).toBe('solid 2px');
    await press('Enter');
    await heading(page, 'Audit record 1');
    const button = page.getByRole('button', { name: 'Verify' });
    await button.waitFor();
    for (let steps = 0; steps < 12 && (await focused()) !== 'Verify'; steps += 1) await press('Tab');
    await press('Enter');
    await page.getByText('Intact: the record is what was written.').waitFor();
    await page.goto(`${releases.platform.consoleUrl}#/transactions`);
    await page.getByRole('table').waitFor();
    await page.getByRole('table').getByRole('link').first().focus();
    const first = await focused();
    await press('ArrowDown');
    expect(await focused()).not.toBe(first);
    await press('ArrowUp');
    expect(await focused()).toBe(first);
  });

  it('has on every page one main heading, a name for every field, button, table and picture, and no id twice', async () => {
    const page = await signedIn();
    const problems: string[] = [];
    for (const path of PAGES()) {
      await page.goto(`${releases.platform.consoleUrl}#/${path}`);
      await settled(page);
      const found = await page.evaluate<readonly string[]>(NAMELESS);
      problems.push(...[...found, ...(await violationsOf(page))].map((problem) => `${path}: ${problem}`));
    }
    expect(problems).toEqual([]);
  });

  it('reads well in light and dark: text has the contrast of WCAG AA, and the switch outlasts a reload', async () => {
    const low: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await signedIn({ colorScheme });
      for (const path of PAGES()) {
        await page.goto(`${releases.platform.consoleUrl}#/${path}`);
        await settled(page);
        const found = await page.evaluate<readonly string[]>(LOW_CONTRAST);
        low.push(...found.map((text) => `${colorScheme} ${path}: ${text}`));
      }
      await page.context().close();
    }
    expect([...new Set(low)]).toEqual([]);
    const page = await signedIn({ colorScheme: 'light' });
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByLabel('Theme').selectOption('dark');
    expect(await ground()).not.toBe(light);
    await page.reload();
    await heading(page, 'Overview');
    expect(await ground()).not.toBe(light);
  });

  it('shows every column of its tables on a page of 1280 pixels', async () => {
    const page = await signedIn({ viewport: { width: 1280, height: 800 } });
    const hidden: string[] = [];
    for (const path of PAGES()) {
      await page.goto(`${releases.platform.consoleUrl}#/${path}`);
      await settled(page);
      const over = await page.evaluate(
        "Math.max(0, ...[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth))",
      );
      if (Number(over) > 0) hidden.push(`${path} by ${String(over)}`);
    }
    expect(hidden).toEqual([]);
  });

  it('fits a page of 400 pixels without scrolling sideways', async () => {
    const page = await signedIn({ viewport: { width: 400, height: 800 } });
    const wide: string[] = [];
    for (const path of PAGES()) {
      await page.goto(`${releases.platform.consoleUrl}#/${path}`);
      await settled(page);
      const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(over) > 0) wide.push(`${path} by ${String(over)}`);
    }
    expect(wide).toEqual([]);
  });
});
