import { decodeUtf8, refusalProblem } from './file-problems.js';
import type { Drafting } from './draft.js';
import type { SourceText } from './flatten.js';
import { isPattern, patternExpression } from './glob.js';
import { itemsOf, scalarOf, type PlanNode, type ScalarNode } from './node.js';
import { readPlainText } from './text.js';
import { outlineOf, type SolidityOutline } from './solidity-outline.js';
import type { Digest } from '../model/canonical.js';

/** Largest Solidity source in bytes. */
const MAX_SOURCE_BYTES = 4_000_000;

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
  for (const item of itemsOf(node)) {
    const scalar = scalarOf(item);
    const pattern = scalar && readPlainText(scalar, drafting)?.replace(/^(?:\.\/)+/, '');
    if (scalar === undefined || pattern === undefined) continue;
    if (pattern.startsWith('!')) {
      const excluded = patternExpression(pattern.slice(1));
      for (const path of [...wanted.keys()].filter((one) => excluded.test(one))) wanted.delete(path);
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
  const paths = isPattern(pattern) ? await files.glob(pattern) : [pattern];
  if (paths.length === 0) {
    const message = `"${pattern}" matches no file beside the plan.`;
    problems.report({ code: 'PLAN_NO_SOURCES', at, message });
  }
  return paths;
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
