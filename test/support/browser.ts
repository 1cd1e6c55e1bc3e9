import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where a Chromium lies: `WINDLASS_CHROMIUM`, or on the PATH. Undefined, and said on standard error, when nowhere. */
export function findChromium(): string | undefined {
  const given = process.env['WINDLASS_CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const places = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = [...(given === undefined ? [] : [given]), ...places].find((place) => existsSync(place));
  if (found === undefined) {
    process.stderr.write(
      '\nNO CHROMIUM: the tests of the console are LEFT OUT. Install one (Debian: apt-get install -y chromium), or name ' +
        'it in WINDLASS_CHROMIUM.\n\n',
    );
  }
  return found;
}

/** A page, with everything that it must not do written down. */
export interface Watched {
  readonly page: Page;
  /** Console messages of level error, uncaught errors, and violations of the content security policy. */
  readonly faults: string[];
  /** Addresses that were asked for outside the page's own origin. */
  readonly strangers: string[];
}

/** Starts a browser without a window. */
export function openBrowser(executablePath: string, flags: readonly string[] = []): Promise<Browser> {
  // In a container of root's, Chromium has no sandbox of its own; it sees only this machine.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...sandbox, ...flags] });
}

/** Opens a page of a new, empty profile. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const strangers: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (cause) => faults.push(cause.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) strangers.push(url);
  });
  return { page, faults, strangers };
}
