import { child, textOf } from './node.js';
import { parsePlan } from './parse.js';
import { collectProblems } from './problems.js';

/**
 * The `name` of a plan, read without checking anything else: what a page is titled with, whatever is wrong with the rest.
 *
 * @returns undefined when the plan has none that is text
 */
export function releaseName(text: string): string | undefined {
  const document = parsePlan(text, collectProblems('', text));
  const name = textOf(child(document, 'name'));
  return name === '' ? undefined : name;
}
