import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds wrong with a page, in no more words than it takes to find the place. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe.source};0`);
  return page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => id + ' ' + html.slice(0, 160))))`);
}

/** What a screen reader could not name, and ids that stand for two things. */
export const NAMELESS = `(() => {
  const problems = [];
  const named = (one) => (one.getAttribute('aria-label') || one.textContent || '').trim() !== '';
  for (const field of document.querySelectorAll('input, select, textarea'))
    if (![...(field.labels ?? [])].some(named) && !field.getAttribute('aria-label')) problems.push('field ' + field.outerHTML);
  for (const one of document.querySelectorAll('button, a')) if (!named(one)) problems.push(one.outerHTML);
  for (const table of document.querySelectorAll('table')) if (!table.caption) problems.push('table');
  for (const image of document.querySelectorAll('img')) if (!image.hasAttribute('alt')) problems.push(image.outerHTML);
  if (document.querySelectorAll('h1').length !== 1) problems.push('headings: ' + document.querySelectorAll('h1').length);
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size < ids.length) problems.push('ids: ' + ids);
  if (!document.documentElement.lang || document.title === '') problems.push('language or title');
  return problems;
})()`;

/** Texts whose contrast with what is behind them is under 4.5 to 1. */
export const LOW_CONTRAST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => {
    const [r, g, b] = color.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (let here = one; here; here = here.parentElement) {
      const color = rgba(getComputedStyle(here).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  return [...document.querySelectorAll('body *')].flatMap((one) => {
    const text = [...one.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()).join('');
    if (text === '' || one.closest('.hidden, .skip, noscript, option') || !one.checkVisibility()) return [];
    const [a, b] = [light(rgba(getComputedStyle(one).color)), light(behind(one))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return ratio < 4.5 ? [text.slice(0, 30) + ' ' + ratio.toFixed(2)] : [];
  });
})()`;
