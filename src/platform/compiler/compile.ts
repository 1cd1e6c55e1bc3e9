import type { JsonObject } from '../../model/json.js';
import { keptResult } from './kept-results.js';
import { FetchError } from './npm.js';
import { findPackages, type PackageSet } from './package-cache.js';
import { findCompiler } from './solc-cache.js';
import type { CompilerThreads } from './threads.js';

/** One version to compile. */
export interface Source {
  readonly filename: string;
  readonly content: string;
}

/** What to compile, and with what. */
export interface CompileJob {
  /** Solidity version without a leading `v`. */
  readonly compiler: string;
  readonly optimizer: { readonly enabled: boolean; readonly runs: number };
  /** Uploaded files; flat names. */
  readonly sources: readonly Source[];
  readonly packages: readonly string[];
}

/** A contract, interface or library of an uploaded file, or a contract of a package that one imports. */
export interface CompiledContract {
  readonly name: string;
  /** The uploaded file that defines or imports it. */
  readonly filename: string;
  readonly abi: readonly JsonObject[];
  /** Init code as `0x` hex; `0x` for interfaces and abstract contracts; `__$…$__` where a library is to be linked. */
  readonly bytecode: string;
}

/** Contracts in the order of the uploaded files and then of their names, imported ones last, or the compiler's own words. */
export type CompileResult =
  | { readonly ok: true; readonly contracts: readonly CompiledContract[] }
  | { readonly ok: false; readonly error: string };

interface StandardOutput {
  readonly errors?: readonly {
    readonly severity: string;
    readonly formattedMessage?: string;
    readonly message: string;
  }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, StandardContract>>>>;
}
interface StandardContract {
  readonly abi?: readonly JsonObject[];
  readonly evm?: { readonly bytecode?: { readonly object?: string } };
}

const FOR_DEPLOYMENT = { '*': { '*': ['abi', 'evm.bytecode.object'] } };

/**
 * Compiles one version with exactly the compiler it asks for, or takes what that compiler said of the same sources
 * before. The EVM version is that compiler's default.
 */
export async function compile(
  job: CompileJob,
  threads: CompilerThreads,
  about: { readonly cacheDir: string; readonly today: string },
): Promise<CompileResult> {
  try {
    const [compiler, packages] = await Promise.all([
      findCompiler(about.cacheDir, job.compiler),
      findPackages(about.cacheDir, job.packages, about.today),
    ]);
    const input = standardInput(job);
    const kept = keptResult(about.cacheDir, input, { compiler, packages });
    const known = await kept.read();
    if (known !== undefined) return resultOf(job, JSON.parse(known) as StandardOutput);
    const answer = await threads.run({
      soljson: compiler.path,
      sha256: compiler.sha256,
      input,
      packages: packages.folder,
      names: packages.names,
    });
    if ('failure' in answer) return { ok: false, error: answer.failure };
    const result = resultOf(job, JSON.parse(answer.output) as StandardOutput);
    if (result.ok) await kept.keep(answer.output);
    return result;
  } catch (cause) {
    if (cause instanceof FetchError) return { ok: false, error: cause.message };
    throw cause;
  }
}

/** What an analyser wants to know of compiled contracts. */
const FOR_ANALYSIS = {
  '*': { '*': ['abi', 'devdoc', 'userdoc', 'evm.bytecode', 'evm.deployedBytecode'], '': ['ast'] },
};

/**
 * Compiles a version that compiles once more, for an analyser.
 *
 * @returns Standard JSON output with syntax trees and source maps, and the packages; undefined when that fails
 */
export async function compileForAnalysis(
  job: CompileJob,
  threads: CompilerThreads,
  about: { readonly cacheDir: string; readonly today: string },
): Promise<{ readonly output: string; readonly packages: PackageSet } | undefined> {
  try {
    const compiler = await findCompiler(about.cacheDir, job.compiler);
    const packages = await findPackages(about.cacheDir, job.packages, about.today);
    const answer = await threads.run({
      soljson: compiler.path,
      sha256: compiler.sha256,
      input: standardInput(job, FOR_ANALYSIS),
      packages: packages.folder,
      names: packages.names,
    });
    return 'failure' in answer ? undefined : { output: answer.output, packages };
  } catch (cause) {
    if (cause instanceof FetchError) return undefined;
    throw cause;
  }
}

function standardInput(job: CompileJob, outputSelection: JsonObject = FOR_DEPLOYMENT): string {
  return JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(job.sources.map(({ filename, content }) => [filename, { content }])),
    settings: {
      optimizer: job.optimizer,
      outputSelection,
    },
  });
}

function resultOf(job: CompileJob, output: StandardOutput): CompileResult {
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (errors.length > 0) {
    return {
      ok: false,
      error: errors
        .map((error) => error.formattedMessage ?? error.message)
        .join('\n')
        .trim(),
    };
  }
  const uploaded = job.sources.flatMap(({ filename }) => contractsIn(output, filename, filename));
  const contracts = [
    ...uploaded,
    ...importedContracts(job, output, new Set(uploaded.map(({ name }) => name))),
  ];
  if (contracts.length === 0) return { ok: false, error: 'The uploaded files define no contract.' };
  return { ok: true, contracts };
}

/** The contracts that the compiler found in a file, by name; `filename` is the uploaded file that stands for it. */
function contractsIn(output: StandardOutput, path: string, filename: string): readonly CompiledContract[] {
  return Object.entries(output.contracts?.[path] ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, contract]) => ({
      name,
      filename,
      abi: contract.abi ?? [],
      bytecode: `0x${contract.evm?.bytecode?.object ?? ''}`,
    }));
}

/**
 * Contracts of packages that an upload names in an import, so that they can be deployed as they are. What they
 * import in turn is left out, and so is what cannot be deployed or bears a name that is there already.
 */
function importedContracts(
  { sources }: CompileJob,
  output: StandardOutput,
  taken: Set<string>,
): readonly CompiledContract[] {
  const own = new Set(sources.map(({ filename }) => filename));
  const literals = sources.flatMap(({ filename, content }) =>
    [...content.matchAll(/(["'])([^"'\n]+\.sol)\1/g)].map(([, , path = '']) => ({ path, filename })),
  );
  return literals
    .filter(({ path }) => !own.has(path))
    .flatMap(({ path, filename }) => contractsIn(output, path, filename))
    .filter(({ name, bytecode }) => bytecode !== '0x' && !taken.has(name) && taken.add(name));
}
