import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isNode, parseDocument, type Document } from 'yaml';
import type { Diagnostic, Range } from '../model/diagnostic.js';
import { messageOf, WindlassError } from '../model/error.js';
import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { suggestName } from '../plan/nearest.js';
import { positionsIn } from '../plan/problems.js';
import { guardYaml } from '../plan/yaml-guard.js';
import { lastSession, readDecisions } from '../platform/faults/decision-text.js';
import type { Decision } from '../platform/faults/decisions.js';
import type { RuleProblem } from '../platform/faults/place.js';
import { problemText, readRules } from '../platform/faults/rule-reader.js';
import type { FaultRules } from '../platform/faults/rules.js';
import { PlanMistakes } from './plan-mistakes.js';

/** Largest document of rules in bytes. */
const MOST_BYTES = 256 * 1024;

/** Largest log in bytes. */
const MOST_LOG_BYTES = 64 * 1024 * 1024;

const SEEDS = 2 ** 32;

/** What a file of faults holds: rules with a seed, as written and as read, or the decisions of a log. */
export type FaultFile =
  | {
      readonly type: 'rules';
      readonly document: JsonObject;
      readonly rules: FaultRules & { readonly seed: number };
    }
  | { readonly type: 'log'; readonly lines: readonly Json[]; readonly decisions: readonly Decision[] };

/** A file, by its name as the person wrote it. */
interface Written {
  readonly shown: string;
  readonly text: string;
}

/**
 * Reads a file of rules (YAML or JSON), or a log of decisions, whose last session counts.
 *
 * @param seed in place of the one in the file; where neither has one, one is drawn
 * @throws CLI_FILE_MISSING, CLI_USAGE, PLATFORM_FAULTS; PlanMistakes with every mistake of the rules
 */
export function readFaultFile(cwd: string, shown: string, seed?: string): FaultFile {
  const file = { shown, text: textOf(cwd, shown) };
  const lines = lastSession(file.text);
  return lines === undefined ? rulesIn(file, seedOf(seed)) : logOf(file, lines);
}

/** A rule that was put together from flags, as a document. @throws PLATFORM_FAULTS with every mistake */
export function checkedRules(document: JsonObject): JsonObject {
  const read = readRules(document);
  if (!read.ok) throw refused('The rule', read.problems);
  return document;
}

/** A seed in digits. @throws CLI_USAGE */
function seedOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text) || Number(text) >= SEEDS)
    throw new WindlassError('CLI_USAGE', `A seed is a whole number from 0 to ${String(SEEDS - 1)}.`);
  return Number(text);
}

function textOf(cwd: string, shown: string): string {
  try {
    const bytes = readFileSync(resolve(cwd, shown));
    if (bytes.length <= MOST_LOG_BYTES) return bytes.toString('utf8');
  } catch (cause) {
    throw new WindlassError('CLI_FILE_MISSING', `${shown} cannot be read: ${messageOf(cause)}.`, { cause });
  }
  throw new WindlassError('PLATFORM_FAULTS', `${shown} is larger than 64 MB.`);
}

function logOf({ shown }: Written, lines: readonly Json[]): FaultFile {
  const read = readDecisions(lines);
  if (!read.ok) throw refused(shown, read.problems);
  return { type: 'log', lines, decisions: read.decisions };
}

function rulesIn(file: Written, seed: number | undefined): FaultFile {
  if (file.text.length > MOST_BYTES)
    throw new WindlassError('PLATFORM_FAULTS', `${file.shown} is larger than 256 kB.`);
  const parsed = parsedYaml(file);
  const value = parsed.toJS({ maxAliasCount: 0 }) as Json;
  const document = { ...(isJsonObject(value) ? value : {}), ...(seed !== undefined && { seed }) };
  const read = readRules(isJsonObject(value) ? document : value);
  if (!read.ok) throw mistakes(file, parsed, read.problems);
  const settled = read.rules.seed ?? randomInt(SEEDS);
  return { type: 'rules', document: { ...document, seed: settled }, rules: { ...read.rules, seed: settled } };
}

function parsedYaml(file: Written): Document {
  const positionOf = positionsIn(file.text);
  const rangeOf = (start: number, end: number): Range => ({ start: positionOf(start), end: positionOf(end) });
  const guarded = guardYaml(file.text);
  const [refusal] = guarded.problems;
  if (refusal !== undefined) {
    const message = 'Anchors, aliases, tags and deep nesting are refused here: write the value out.';
    throw told(file, [
      { ...ABOUT, message, file: file.shown, range: rangeOf(refusal.at.start, refusal.at.end) },
    ]);
  }
  const parsed = parseDocument(file.text, { prettyErrors: false, logLevel: 'error' });
  const found = parsed.errors.map(({ message, pos }) => ({
    ...ABOUT,
    message: `This is not valid YAML: ${message}`,
    file: file.shown,
    range: rangeOf(pos[0], Math.max(pos[1], pos[0] + 1)),
  }));
  if (found.length > 0) throw told(file, found);
  return parsed;
}

const ABOUT = { code: 'PLATFORM_FAULTS', severity: 'error' } as const;

function mistakes(file: Written, parsed: Document, problems: readonly RuleProblem[]): PlanMistakes {
  const positionOf = positionsIn(file.text);
  const diagnostics = problems.map(({ path, message, name }): Diagnostic => {
    const [start, end] = spanOf(parsed, path);
    const fix = name && suggestName(name.written, name.known);
    const range = { start: positionOf(start), end: positionOf(end) };
    return { ...ABOUT, message, file: file.shown, range, ...(fix !== undefined && { fix }) };
  });
  return told(file, diagnostics);
}

function told(file: Written, diagnostics: readonly Diagnostic[]): PlanMistakes {
  return new PlanMistakes(diagnostics, new Map([[file.shown, file.text]]));
}

/** Where a value stands, or the nearest one around it that is written down. */
function spanOf(parsed: Document, path: readonly (string | number)[]): readonly [start: number, end: number] {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? parsed.contents : parsed.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return [node.range[0], node.range[1]];
  }
  return [0, 0];
}

function refused(what: string, problems: readonly RuleProblem[]): WindlassError {
  const texts = problems.slice(0, 10).map(problemText);
  return new WindlassError('PLATFORM_FAULTS', `${what} is not taken:\n${texts.join('\n')}`);
}
