import { chromium } from 'playwright-core';
import { existsSync } from 'node:fs';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOCUMENT, OPERATIONS } from '../support/openapi.js';
import { openReleases, type Releases } from './releases.js';

let releases: Releases;
let core: Releases;
beforeAll(async () => {
  releases = await openReleases();
  core = await openReleases({ capabilities: [] });
});
afterAll(async () => {
  await core.close();
  await releases.close();
});

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browser = process.env['CHROMIUM'] ?? BROWSERS.find((path) => existsSync(path));

interface Served {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

async function served(apiUrl: string): Promise<Served> {
  return (await (await fetch(`${apiUrl}/openapi.json`)).json()) as Served;
}

const idsOf = ({ paths }: Served) =>
  Object.values(paths).flatMap((item) => Object.values(item).map((one) => one.operationId));

describe('the description that a platform serves', () => {
  it('is the document with its own address, as JSON and as YAML, for everybody', async () => {
    const { apiUrl } = releases.platform;
    const json = await served(apiUrl);
    expect(json).toEqual({ ...DOCUMENT, servers: [{ url: apiUrl, description: 'This platform.' }] });
    const yaml = await fetch(`${apiUrl}/openapi.yaml`);
    expect(yaml.headers.get('content-type')).toContain('application/yaml');
    expect(parse(await yaml.text())).toEqual(json);
  });

  it('holds the operations that it serves, and no others', async () => {
    const ids = idsOf(await served(core.platform.apiUrl));
    const tagged = OPERATIONS.filter(({ definition }) =>
      (definition['tags'] as readonly string[]).includes('core'),
    );
    expect(ids).toEqual(tagged.map(({ id }) => id));
    expect(idsOf(await served(releases.platform.apiUrl))).toHaveLength(OPERATIONS.length);
  });
});

describe('the reference page', () => {
  it('is named by the console, and comes with everything it needs under a policy that allows nothing else', async () => {
    const { apiUrl } = releases.platform;
    expect(await (await fetch(`${apiUrl}/`)).text()).toContain('see /docs');
    const page = await fetch(`${apiUrl}/docs`);
    const html = await page.text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      expect(link).toMatch(/^\/docs\//);
      expect([link, (await fetch(`${apiUrl}${link}`)).status]).toEqual([link, 200]);
    }
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|unsafe-eval/);
    expect(html).not.toMatch(/<script>/);
  });

  it.skipIf(browser === undefined)(
    'shows every operation in a browser, breaks no rule of its policy and asks nobody else',
    async () => {
      const { apiUrl } = releases.platform;
      const chrome = await chromium.launch({ executablePath: browser ?? '', args: ['--no-sandbox'] });
      try {
        const page = await chrome.newPage();
        const complaints: string[] = [];
        const asked: string[] = [];
        page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
        page.on('pageerror', (error) => complaints.push(error.message));
        page.on('request', (request) => asked.push(request.url()));
        await page.goto(`${apiUrl}/docs`);
        await page
          .locator('.opblock')
          .nth(OPERATIONS.length - 1)
          .waitFor({ timeout: 60_000 });
        expect(await page.locator('.opblock').count()).toBe(OPERATIONS.length);
        await page.locator('.opblock-summary-control').first().click();
        await page.locator('.opblock-body').first().waitFor();
        expect(complaints).toEqual([]);
        expect(asked.filter((url) => !url.startsWith(`${apiUrl}/`) && !url.startsWith('data:'))).toEqual([]);
      } finally {
        await chrome.close();
      }
    },
    120_000,
  );
});
