import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, openBrowser, openPage, type Watched } from '../support/browser.js';
import { CHAIN_OF_THREE, openReleases, type Releases } from './releases.js';

const chromium = findChromium();
const WAIT = { timeout: 30_000 };

let releases: Releases;
let browser: Browser;

/** A page where the first organisation is signed in by a link, as a person who opens it. */
async function signedIn(options: Parameters<Browser['newContext']>[0] = {}): Promise<Watched> {
  const { platform } = releases;
  const watched = await openPage(browser, platform.apiUrl, options);
  await watched.page.goto(platform.consoleLink(platform.apiKey!.client_id));
  await watched.page.getByRole('heading', { name: 'Overview' }).waitFor(WAIT);
  return watched;
}

describe.skipIf(chromium === undefined)('the console in a browser', () => {
  beforeAll(async () => {
    releases = await openReleases();
    browser = await openBrowser(chromium ?? '');
    await releases.compiled('Registry', { sources: CHAIN_OF_THREE });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await releases?.close();
  });

  it('takes a key once, refuses a wrong one with what to do next, and signs out', async () => {
    const { platform } = releases;
    const { page, strangers } = await openPage(browser, platform.apiUrl);
    await page.goto(platform.consoleUrl);
    await page.getByLabel('Client id').fill(platform.apiKey!.client_id);
    await page.getByLabel('Client secret').fill('sk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const refusal = page.getByRole('alert');
    await refusal.waitFor(WAIT);
    expect(await refusal.innerText()).toMatch(/HTTP 401[\s\S]*windlass platform key create/);
    await page.getByLabel('Client secret').fill(platform.apiKey!.client_secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor(WAIT);
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain(platform.apiKey!.client_secret);
    expect(kept).not.toContain('windlass_console');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Client id').waitFor(WAIT);
    await page.reload();
    await page.getByLabel('Client id').waitFor(WAIT);
    expect(strangers).toEqual([]);
  });

  it('shows a project, its version, how that compiled, its ABI and its sources', async () => {
    const { page, faults, strangers } = await signedIn();
    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByRole('cell', { name: 'Registry' }).getByRole('link').click();
    await page.getByRole('link', { name: '1.0.0' }).click();
    await page.getByText('compiled', { exact: true }).waitFor(WAIT);
    await page.getByLabel('Contract').selectOption('Token');
    const abi = page.getByRole('table', { name: 'Interface of the contract' });
    expect(await abi.innerText()).toMatch(/constructor[\s\S]*address _registry[\s\S]*uint256 _cap/);
    await page.getByRole('button', { name: 'Chain.sol' }).click();
    await page.getByText('contract Shop').waitFor(WAIT);
    expect(faults).toEqual([]);
    expect(strangers).toEqual([]);
  });
});
