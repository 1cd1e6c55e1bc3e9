import { decodeUtf8, refusalProblem } from './file-problems.js';
import type { Drafting } from './draft.js';
import type { SourceText } from './flatten.js';
import { compileGlob, isPattern, MAX_PATTERN } from './glob.js';
import { itemsOf, scalarOf, type PlanNode, type ScalarNode } from './node.js';
import { readPlainText } from './text.js';
import { outlineOf, type SolidityOutline } from './solidity-outline.js';
import type { Digest } from '../model/canonical.js';

/** Largest Solidity source in bytes. */
const MAX_SOURCE_BYTES = 4_000_000;

/** Most items of a `sources` list. */
const MAX_ITEMS = 500;

const TOO_MANY = 'Begin a pattern with the folder of the sources: contracts/**/*.sol.';

/** A source file of a version, read once. */
export interface LoadedSource extends SourceText {
  readonly digest: Digest;
  readonly sizeBytes: number;
  readonly contracts: SolidityOutline['contracts'];
}

/** Reads the Solidity files that a `sources` list names, each once, sorted by path. */
export async function loadSources(
  node: PlanNode | undefined,
  drafting: Drafting,
): Promise<readonly LoadedSource[]> {
  const wanted = await matchSources(node, drafting);
  const loaded = await Promise.all([...wanted].map(([path, at]) => loadSource(path, at, drafting)));
  return loaded.flat().sort((a, b) => (a.path < b.path ? -1 : 1));
}

function leavesFolder(pattern: string): boolean {
  return pattern.startsWith('/') || pattern.split('/').includes('..');
}

/** Paths with the list item that first named them. */
async function matchSources(
  node: PlanNode | undefined,
  drafting: Drafting,
): Promise<ReadonlyMap<string, ScalarNode>> {
  const wanted = new Map<string, ScalarNode>();
  const items = itemsOf(node);
  const extra = items[MAX_ITEMS];
  if (extra !== undefined) {
    const message = `A version takes at most ${MAX_ITEMS} patterns.`;
    drafting.problems.report({ code: 'PLAN_TOO_LARGE', at: extra.span, message, fix: TOO_MANY });
  }
  for (const item of items.slice(0, MAX_ITEMS)) {
    const scalar = scalarOf(item);
    const pattern = scalar && readPlainText(scalar, drafting)?.replace(/^(?:\.\/)+/, '');
    if (scalar === undefined || pattern === undefined) continue;
    if (pattern.startsWith('!')) {
      if (isTooLong(pattern, scalar, drafting)) continue;
      const excluded = compileGlob(pattern.slice(1));
      for (const path of [...wanted.keys()].filter((one) => excluded.matches(one))) wanted.delete(path);
    } else {
      const paths = await matchesOf(pattern, scalar, drafting);
      for (const path of paths.filter((one) => !wanted.has(one))) wanted.set(path, scalar);
    }
  }
  return wanted;
}

async function matchesOf(
  pattern: string,
  { span: at }: ScalarNode,
  { files, problems }: Drafting,
): Promise<readonly string[]> {
  if (leavesFolder(pattern)) {
    problems.report({ ...refusalProblem({ status: 'outside' }, pattern), at });
    return [];
  }
  if (isTooLong(pattern, { span: at }, { problems })) return [];
  const globbed = isPattern(pattern)
    ? await files.glob(pattern)
    : { status: 'ok' as const, paths: [pattern] };
  if (globbed.status === 'too-many') {
    const message = `The patterns have more than ${globbed.limit} files and folders to look at.`;
    problems.report({ code: 'PLAN_TOO_LARGE', at, message, fix: TOO_MANY });
    return [];
  }
  const { paths } = globbed;
  if (paths.length === 0) {
    const message = `"${pattern}" matches no file beside the plan.`;
    problems.report({ code: 'PLAN_NO_SOURCES', at, message });
  }
  return paths;
}

function isTooLong(
  pattern: string,
  { span: at }: Pick<ScalarNode, 'span'>,
  { problems }: Pick<Drafting, 'problems'>,
): boolean {
  if (pattern.length <= MAX_PATTERN) return false;
  const message = `A pattern has at most ${MAX_PATTERN} characters.`;
  problems.report({ code: 'PLAN_TOO_LARGE', at, message, fix: 'Name a folder: contracts/**/*.sol.' });
  return true;
}

async function loadSource(
  path: string,
  { span: at }: ScalarNode,
  { files, problems }: Drafting,
): Promise<LoadedSource[]> {
  if (!path.endsWith('.sol')) {
    const message = `"${path}" is no Solidity source: the service takes .sol files only.`;
    problems.report({
      code: 'PLAN_FILE_TYPE',
      at,
      message,
      fix: 'Narrow the pattern, e.g. contracts/**/*.sol.',
    });
    return [];
  }
  const reading = await files.read(path, MAX_SOURCE_BYTES);
  if (reading.status !== 'ok') {
    problems.report({ ...refusalProblem(reading, path), at });
    return [];
  }
  const text = decodeUtf8(reading.bytes);
  if (text === undefined) {
    const message = `"${path}" is not UTF-8 text, which the compiler needs.`;
    problems.report({ code: 'PLAN_FILE_TYPE', at, message, fix: 'Save the file as UTF-8.' });
    return [];
  }
  const { digest, sizeBytes } = reading;
  return [{ path, text, digest, sizeBytes, ...outlineOf(text) }];
}
