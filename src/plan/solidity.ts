import type { ContractSource } from '../model/resource.js';
import { nearestName } from './nearest.js';
import type { LoadedVersion } from './projects.js';
import { solidityTokens } from './solidity-lexer.js';
import type { SolidityContract } from './solidity-outline.js';

/** Longest list of parameters that is read, in UTF-16 units: what is longer is left to the compiler. */
const MAX_PARAMETERS = 100_000;

/** The same for what the parser reads, whose time grows with the cube of the length. */
const MAX_PARSED = 800;

/** Brackets one in the other; a mapping to functions of tuples has four. */
const MAX_BRACKETS = 10;

/** A parameter type as far as values are checked against it. */
export type SolidityType =
  | { readonly type: 'elementary'; readonly name: string }
  | { readonly type: 'array'; readonly item: SolidityType; readonly length?: number }
  /** A contract, struct, enum, mapping or function: what stands for it is not known from its name alone. */
  | { readonly type: 'named'; readonly name: string };

/** A constructor parameter; the name is empty when the source gives none. */
export interface Parameter {
  readonly name: string;
  readonly type: SolidityType;
}

/** What the sources of a version say about a contract name. */
export type ContractLookup =
  /** `source` is set where other sources define the name, too. */
  | { readonly type: 'found'; readonly contract: SolidityContract; readonly source?: ContractSource }
  /** Several sources define it, and could be meant; their fully qualified names. */
  | { readonly type: 'ambiguous'; readonly names: readonly string[] }
  /** Perhaps from a package, or in a source that could not be read. */
  | { readonly type: 'unclear' }
  | { readonly type: 'unknown'; readonly fix?: string };

/** A contract's name as a plan writes it: `Token`, or fully qualified, `contracts/Token.sol:Token`. */
export interface WrittenName {
  readonly name: string;
  /** Relative to the plan's folder. */
  readonly path?: string;
}

/** Takes a contract's name apart, fully qualified or not. */
export function readContractName(text: string): WrittenName {
  const colon = text.lastIndexOf(':');
  if (colon < 0) return { name: text };
  return { name: text.slice(colon + 1), path: text.slice(0, colon).replace(/^(?:\.\/)+/, '') };
}

/** Looks a contract up in the sources of a version. */
export function findContract(version: LoadedVersion, { name, path }: WrittenName): ContractLookup {
  const contracts = version.sources.flatMap((source) => source.contracts);
  const all = version.sources.flatMap((source) =>
    source.contracts.filter((one) => one.name === name).map((contract) => ({ contract, path: source.path })),
  );
  const found = chooseDefinition(all, path);
  if (found === 'several') {
    const names = all.map((one) => `${one.path}:${name}`);
    return { type: 'ambiguous', names };
  }
  if (found !== undefined) {
    const source = all.length > 1 ? version.uploaded.get(found.path) : undefined;
    return { type: 'found', contract: found.contract, ...(source && { source }) };
  }
  if (path !== undefined && version.isComplete) return unknownAt(all, version, { name, path });
  if (!version.isComplete || isImported(version, name)) return { type: 'unclear' };
  const deployable = contracts.filter(({ kind }) => kind === 'contract').map((one) => one.name);
  const near = nearestName(name, deployable);
  const choices = deployable.slice(0, 8).join(', ');
  const fix = near === undefined ? `The sources define: ${choices}.` : `Did you mean "${near}"?`;
  return { type: 'unknown', ...(deployable.length > 0 && { fix }) };
}

interface Definition {
  readonly contract: SolidityContract;
  readonly path: string;
}

/** The definition that is meant: of the path, else the only one, else the only one that can be deployed. */
function chooseDefinition(
  all: readonly Definition[],
  path: string | undefined,
): Definition | 'several' | undefined {
  if (path !== undefined) return all.find((one) => one.path === path);
  if (all.length < 2) return all[0];
  const deployable = all.filter(({ contract }) => contract.kind === 'contract');
  return deployable.length === 1 ? deployable[0] : 'several';
}

function unknownAt(
  all: readonly Definition[],
  { sources }: LoadedVersion,
  { name, path }: { readonly name: string; readonly path: string },
): ContractLookup {
  const here = sources.find((source) => source.path === path)?.contracts ?? [];
  const names = [...all.map((one) => `${one.path}:${name}`), ...here.map((one) => `${path}:${one.name}`)];
  const choices = names.slice(0, 8).join(', ');
  return { type: 'unknown', ...(choices !== '' && { fix: `The sources define: ${choices}.` }) };
}

/** True when a source takes this name, or the file called after it, from elsewhere. */
function isImported({ sources }: LoadedVersion, name: string): boolean {
  return sources.some(({ imports }) =>
    imports.some(({ path, symbols }) => symbols.includes(name) || path.endsWith(`/${name}.sol`)),
  );
}

/**
 * Reads the text between a constructor's brackets. Parameters of the plain form (`type[] memory name`) are read
 * from their words; for anything else the parser is loaded, which takes longer than all the rest of a small plan.
 * It sees these few words only, never whole sources: a compiler may accept what the parser does not know.
 *
 * @returns undefined when the parser cannot read them either
 */
export async function readParameters(text: string): Promise<readonly Parameter[] | undefined> {
  if (text.length > MAX_PARAMETERS) return undefined;
  const plain = plainParameters(text);
  if (plain !== undefined || text.length > MAX_PARSED || nestsDeep(text)) return plain;
  return parseParameters(text);
}

function nestsDeep(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    if (depth > MAX_BRACKETS) return true;
  }
  return false;
}

const ELEMENTARY = /^(?:address|bool|string|byte|bytes\d*|u?int\d*)$/;
const PLAIN =
  /^([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)((?:\[\d*\])*)(?: (?:memory|calldata|storage|payable))*(?: ([A-Za-z_$][\w$]*))?$/;

/** Parameters in the plain form; undefined when one is not. */
export function plainParameters(text: string): readonly Parameter[] | undefined {
  const parameters: Parameter[] = [];
  for (const written of plainText(text).split(',')) {
    const [, name, brackets = '', parameter = ''] = PLAIN.exec(written) ?? [];
    if (name === undefined || name === 'mapping' || name === 'function') return undefined;
    let type: SolidityType = { type: ELEMENTARY.test(name) ? 'elementary' : 'named', name };
    for (const [, length = ''] of brackets.matchAll(/\[(\d*)\]/g)) {
      type = { type: 'array', item: type, ...(length !== '' && { length: Number(length) }) };
    }
    parameters.push({ name: parameter, type });
  }
  return parameters;
}

/** The words without comments, one space between two words and none elsewhere. */
function plainText(text: string): string {
  let plain = '';
  let wasWord = false;
  for (const { text: word, type } of solidityTokens(text)) {
    const isWord = type === 'word' || (type === 'number' && !plain.endsWith('['));
    plain += (isWord && (wasWord || plain.endsWith(']')) ? ' ' : '') + word;
    wasWord = isWord;
  }
  return plain;
}

/** What the parser makes of them. */
export async function parseParameters(text: string): Promise<readonly Parameter[] | undefined> {
  const { parse } = (await import('@solidity-parser/parser')).default;
  try {
    const unit = parse(`contract C { constructor(${text}) {} }`);
    const [contract] = unit.children;
    if (contract?.type !== 'ContractDefinition') return undefined;
    const [definition] = contract.subNodes;
    if (definition?.type !== 'FunctionDefinition') return undefined;
    const { parameters } = definition as unknown as FunctionDefinition;
    return parameters.map(({ name, typeName }) => ({ name: name ?? '', type: typeOf(typeName) }));
  } catch {
    return undefined;
  }
}

interface FunctionDefinition {
  readonly parameters: readonly { readonly name: string | null; readonly typeName: unknown }[];
}

interface TypeNode {
  readonly type: string;
  readonly name?: string;
  readonly namePath?: string;
  readonly baseTypeName?: TypeNode;
  readonly length?: { readonly type: string; readonly number?: string } | null;
}

function typeOf(typeName: unknown): SolidityType {
  const { type, name, namePath, baseTypeName, length } = (typeName ?? { type: '' }) as TypeNode;
  if (type === 'ElementaryTypeName' && name !== undefined) return { type: 'elementary', name };
  if (type === 'ArrayTypeName') {
    const fixed = length?.type === 'NumberLiteral' ? Number(length.number) : undefined;
    return { type: 'array', item: typeOf(baseTypeName), ...(fixed !== undefined && { length: fixed }) };
  }
  return { type: 'named', name: namePath ?? type };
}

/** A type as Solidity writes it. */
export function typeText(type: SolidityType): string {
  return type.type === 'array' ? `${typeText(type.item)}[${type.length ?? ''}]` : type.name;
}
