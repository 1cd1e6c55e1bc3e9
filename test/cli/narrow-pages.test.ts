import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResourceId, StepId } from '../../src/model/id.js';
import { changeSetHtml } from '../../src/report/change-set-html.js';
import { runPageHtml } from '../../src/report/run-page-html.js';
import { lastRunTimeline } from '../../src/report/run-timeline.js';
import type { JournalEvent } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';
import { certificates, change, changeSet } from '../report/samples.js';
import { LOW_CONTRAST, violationsOf } from '../support/browser-checks.js';
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

/** The page of a run of 200 audit records, of which one is undecided. */
function longRun(): string {
  const step = (n: number): StepId => `audit-record.${'a-long-name-'.repeat(4)}${n}#1`;
  const events = Array.from({ length: 200 }, (_, n): readonly JournalEvent[] => {
    const id = step(n).slice(0, -2) as ResourceId;
    const token = `sha256:${n}` as const;
    const rest = { operation: 'x', lane: 'x', token, request: DIGEST, before: null, inputs: {} };
    const outcome =
      n === 150
        ? ({ state: 'undecided', grade: 'D' } as const)
        : ({ state: 'confirmed', grade: 'A' } as const);
    const outputs = n === 150 ? {} : { [id]: { transaction: `0x${'ab'.repeat(32)}` } };
    return [
      { type: 'step-intended', at, step: step(n), resources: [id], ...rest },
      { type: 'step-settled', at, step: step(n), outputs, message: 'no read shows it', ...outcome },
    ];
  });
  const state = new LineageState([
    { type: 'lineage-started', at, version: 1, lineage: 'l', target: { origin: 'local', client: DIGEST } },
    { type: 'run-started', at, run: 'r1', plan: DIGEST, changeSet: DIGEST, engine: '0' },
    ...events.flat(),
    { type: 'run-ended', at, run: 'r1', result: 'undecided' },
  ]);
  const resume = 'windlass apply';
  return runPageHtml(lastRunTimeline(state), { title: 'r on local', nowMs: 0, resume, doubts: [] });
}

/** The page of a change set of 100 alike records behind a long chain of contracts, and 1,000 certificates. */
function largeChangeSet(): string {
  const chain = Array.from({ length: 12 }, (_, n): ResourceId => `contract.core.ContractWithALongName${n}`);
  const record = (n: number): ResourceId => `audit-record.${'a-long-name-'.repeat(6)}${n}`;
  return changeSetHtml(
    changeSet([
      ...chain.map((id, n) => change(id, { dependsOn: chain.slice(0, n).slice(-1) })),
      ...Array.from({ length: 100 }, (_, n) => change(record(n), { dependsOn: chain.slice(-1) })),
      ...certificates(1000),
    ]),
  );
}

const LOADED = `[...document.querySelectorAll('*')].flatMap((one) =>
  [...one.attributes].filter(({ name }) => name.startsWith('on') || name === 'style').map(({ name }) => one.tagName + ' ' + name))`;

describe.skipIf(chromium === undefined)('the pages for reviewers', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '');
  });
  afterAll(() => browser.close());

  /** Shows a page for as long as a test needs it, and holds it to load nothing and to say nothing to the console. */
  async function shown(
    html: string,
    options: Parameters<Browser['newContext']>[0],
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const { page, faults, strangers } = await openPage(browser, 'data:', options);
    await page.setContent(html);
    await look(page);
    expect(await page.evaluate(LOADED)).toEqual([]);
    expect([faults, strangers]).toEqual([[], []]);
    await page.context().close();
  }

  const over = (page: Page): Promise<number> =>
    page.evaluate('document.documentElement.scrollWidth - innerWidth');

  /** Boxes whose content is wider than they are, and that no keyboard reaches. */
  const wider = (page: Page, selector: string): Promise<readonly string[]> =>
    page.evaluate(
      `[...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1).map((one) => one.className + ' ' + one.scrollWidth)`,
    );

  const PAGES: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['of a failed run', failedRun],
    ['of a run of 200 steps', longRun],
    ['of a change set', plannedCampus],
    ['of a large change set', largeChangeSet],
  ];

  test.each(PAGES)('%s fits the screen of a telephone; its tables need no scrolling', async (_, html) => {
    await shown(await html(), { viewport: { width: 390, height: 800 } }, async (page) => {
      expect(await page.evaluate('document.body.innerText')).toMatch(
        /Incomplete|Undecided|to create|to deploy/,
      );
      expect(await over(page)).toBeLessThanOrEqual(0);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
      expect(await over(page)).toBeLessThanOrEqual(0);
      expect(await wider(page, '.scroll')).toEqual([]);
      // Blocks, yet still tables to whoever does not see them.
      const tables = await page.locator('table').count();
      expect(await page.getByRole('table').count()).toBe(tables);
    });
  });

  test.each(PAGES)('%s shows its graph and its tables whole on 1280 pixels', async (_, html) => {
    await shown(await html(), { viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
      expect(await over(page)).toBeLessThanOrEqual(0);
      expect(await wider(page, '.graph, .scroll')).toEqual([]);
    });
  });

  test('a graph that cannot fit says so and shows that it scrolls, by keyboard too', async () => {
    const chain = Array.from({ length: 40 }, (_, n): ResourceId => `tag.tag-with-a-long-name-${n}`);
    const html = changeSetHtml(changeSet(chain.map((id, n) => change(id, { dependsOn: chain.slice(0, n) }))));
    const wide = html
      .replace(/<svg [^>]*width="\d+"/, '<svg xmlns="http://www.w3.org/2000/svg" width="9000"')
      .replace('class="graph fits"', 'class="graph"');
    await shown(wide, { viewport: { width: 1280, height: 800 } }, async (page) => {
      const box = page.getByRole('region', { name: 'dependency graph' });
      await box.focus();
      await page.keyboard.press('ArrowRight');
      const left = (): Promise<number> => page.evaluate("document.querySelector('.graph').scrollLeft");
      await expect.poll(left).toBeGreaterThan(0);
      const bar = "getComputedStyle(document.querySelector('.graph'), '::-webkit-scrollbar').height";
      expect(Number.parseFloat(await page.evaluate<string>(bar))).toBeGreaterThan(8);
    });
    await shown(largeChangeSet(), { viewport: { width: 390, height: 800 } }, async (page) => {
      await page.getByText('The graph is wider than the page').waitFor();
    });
  });

  test('the page of a long run folds away what is well, counts it, keeps what is not in sight, and prints all', async () => {
    await shown(longRun(), { viewport: { width: 1280, height: 800 } }, async (page) => {
      const receipts = page.locator('details#proofs');
      expect(await receipts.locator('summary').innerText()).toBe(
        '199 receipts: 199 seen on the chain, or by two sources',
      );
      expect(await receipts.getByRole('row').first().isVisible()).toBe(false);
      expect(await page.locator('#timeline').getByText('undecided').first().isVisible()).toBe(true);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(4000);
      await page.emulateMedia({ media: 'print' });
      expect(await receipts.getByRole('row').last().isVisible()).toBe(true);
    });
  });

  test.each(['light', 'dark'] as const)(
    'read well in %s: text has the contrast of WCAG AA',
    async (colorScheme) => {
      for (const [, html] of PAGES)
        await shown(await html(), { colorScheme, viewport: { width: 1280, height: 800 } }, async (page) => {
          await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
          expect(await page.evaluate(LOW_CONTRAST)).toEqual([]);
          expect(await violationsOf(page)).toEqual([]);
          const levels = await page.evaluate<readonly number[]>(
            "[...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]))",
          );
          expect(levels.filter((level, n) => level > (levels[n - 1] ?? 0) + 1)).toEqual([]);
        });
    },
  );
});
