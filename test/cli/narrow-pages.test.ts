import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runPageHtml } from '../../src/report/run-page-html.js';
import { lastRunTimeline } from '../../src/report/run-timeline.js';
import { LineageState } from '../../src/state/project.js';
import { findChromium, openBrowser, openPage } from '../support/browser.js';
import { inFolder, windlass } from './command.js';

const chromium = findChromium();

const at = '2026-01-01T00:00:00.000Z';
const DIGEST = 'sha256:00' as const;

/** The page of a run of which nothing is left but that it failed: its longest verdict. */
function failedRun(): string {
  const state = new LineageState([
    { type: 'lineage-started', at, version: 1, lineage: 'l', target: { origin: 'local', client: DIGEST } },
    { type: 'run-started', at, run: 'r1', plan: DIGEST, changeSet: DIGEST, engine: '0' },
    { type: 'run-ended', at, run: 'r1', result: 'incomplete' },
  ]);
  const resume = `windlass apply ${'a-long-folder/'.repeat(6)}windlass.yaml --env production`;
  return runPageHtml(lastRunTimeline(state), { title: 'r on local', nowMs: 0, resume, doubts: [] });
}

async function plannedCampus(): Promise<string> {
  return inFolder(async (cwd) => {
    await windlass(['init', '--template', 'campus'], { cwd });
    const { stdout } = await windlass(['plan', '--offline', '--format', 'html'], { cwd });
    return stdout;
  });
}

describe.skipIf(chromium === undefined)('the pages for reviewers', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '');
  });
  afterAll(() => browser.close());

  test.each([
    ['of a failed run', async () => failedRun()],
    ['of a change set', plannedCampus],
  ] as const)(
    '%s fit the screen of a telephone, load nothing and say nothing to the console',
    async (_, html) => {
      const text = await html();
      const { page, faults, strangers } = await openPage(browser, 'data:', {
        viewport: { width: 390, height: 800 },
      });
      await page.setContent(text);
      const { wide, room, held } = await page.evaluate<{ wide: number; room: number; held: string }>(
        '({ wide: document.documentElement.scrollWidth, room: innerWidth, held: document.body.innerText })',
      );
      expect(held).toMatch(/Incomplete|to create/);
      expect(wide).toBeLessThanOrEqual(room);
      expect([faults, strangers]).toEqual([[], []]);
      await page.context().close();
    },
  );
});
