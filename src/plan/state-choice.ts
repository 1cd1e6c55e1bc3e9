import type { GitState } from '../model/environment.js';
import { stateOf } from './environment.js';
import { child } from './node.js';
import { parsePlan } from './parse.js';
import { collectProblems } from './problems.js';

/**
 * Where a plan wants the state of an environment to live, read without checking anything else, so that a mistake
 * elsewhere in the plan keeps nobody from asking for the state.
 *
 * @returns `unreadable` when the text is no YAML: then nobody knows
 */
export function stateChoice(text: string, environment: string): GitState | undefined | 'unreadable' {
  const document = parsePlan(text, collectProblems('', text));
  if (document?.type !== 'map') return 'unreadable';
  return stateOf(child(document, 'environments', environment, 'state'));
}
