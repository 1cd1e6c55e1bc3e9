import type { JsonObject } from '../../model/json.js';
import { findCompiler, type Compiler } from '../../build/compilers.js';
import { FetchError } from '../../build/fetch-error.js';
import type { Packages } from '../../build/packages.js';
import { keptResult } from './kept-results.js';
import type { CompileOrder } from './order.js';
import type { CompilerThreads } from './threads.js';

/** One version to compile. */
export interface Source {
  readonly filename: string;
  readonly content: string;
}

/** What compiling works with. */
export interface CompileWith {
  readonly threads: CompilerThreads;
  readonly packages: Packages;
  /** Folder where results are kept. */
  readonly cacheDir: string;
  /** Day in words (`2026-01-31`): what is not exact in `packages[]` is chosen anew each day. */
  readonly today: string;
  /** Ends what is under way: nothing is known of the version then. */
  readonly signal: AbortSignal;
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
 *
 * @throws FetchInterrupted when the signal ends it
 */
export async function compile(job: CompileJob, about: CompileWith): Promise<CompileResult> {
  try {
    const { compiler, order } = await orderFor(job, about);
    const kept = keptResult(about.cacheDir, order);
    const known = await kept.read();
    if (known !== undefined) return resultOf(job, JSON.parse(known) as StandardOutput);
    const answer = await about.threads.run(order, () => compiler.load(about.signal));
    if ('failure' in answer) return { ok: false, error: answer.failure };
    const result = resultOf(job, JSON.parse(answer.output) as StandardOutput);
    if (result.ok) await kept.keep(answer.output);
    return result;
  } catch (cause) {
    if (cause instanceof FetchError) return { ok: false, error: cause.message };
    throw cause;
  }
}

/** Brings everything here that the compiler will ask for. */
async function orderFor(
  job: CompileJob,
  about: CompileWith,
  selection?: JsonObject,
): Promise<{ readonly compiler: Compiler; readonly order: Omit<CompileOrder, 'soljson'> }> {
  const { packages, signal } = about;
  const compiler = await findCompiler(packages, job.compiler, signal);
  const specs = [...new Set(job.packages)].sort();
  const day = specs.every((spec) => EXACT.test(spec)) ? '' : about.today;
  const set = JSON.stringify([specs, day]);
  // Reading what packages name takes libraries that a start need not wait for.
  const { importClosure } = await import('../../build/import-closure.js');
  const { files, missing, remappings } = await importClosure(packages, job.sources, specs, { set, signal });
  const input = standardInput(job, remappings, selection);
  return { compiler, order: { compiler: compiler.digest, input, files, missing } };
}

const EXACT = /@\d+\.\d+\.\d+[A-Za-z0-9.+-]*$/;

/** What an analyser wants to know of compiled contracts. */
const FOR_ANALYSIS = {
  '*': { '*': ['abi', 'devdoc', 'userdoc', 'evm.bytecode', 'evm.deployedBytecode'], '': ['ast'] },
};

/**
 * Compiles a version that compiles once more, for an analyser.
 *
 * @returns Standard JSON output with syntax trees and source maps, and the sources of packages by name; undefined when
 * that fails
 */
export async function compileForAnalysis(
  job: CompileJob,
  about: CompileWith,
): Promise<(Pick<CompileOrder, 'files'> & { readonly output: string }) | undefined> {
  try {
    const { compiler, order } = await orderFor(job, about, FOR_ANALYSIS);
    const answer = await about.threads.run(order, () => compiler.load(about.signal));
    return 'failure' in answer ? undefined : { output: answer.output, files: order.files };
  } catch (cause) {
    if (cause instanceof FetchError) return undefined;
    throw cause;
  }
}

function standardInput(
  job: CompileJob,
  remappings: readonly string[],
  outputSelection: JsonObject = FOR_DEPLOYMENT,
): string {
  return JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(job.sources.map(({ filename, content }) => [filename, { content }])),
    settings: {
      ...(remappings.length > 0 && { remappings }),
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
