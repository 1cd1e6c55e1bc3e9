import type { JsonObject, Json } from '../model/json.js';
import { isPlaceholder } from '../model/value.js';
import type { ContractSource } from '../model/resource.js';
import type { Drafting, Edge } from './draft.js';
import { suggestName } from './nearest.js';
import { entriesOf, type PlanNode, type Span } from './node.js';
import { fitValue } from './parameter-value.js';
import type { LoadedVersion } from './projects.js';
import type { SolidityContract } from './solidity-outline.js';
import { findContract, readParameters, typeText, type Parameter, type WrittenName } from './solidity.js';
import { readValue } from './text.js';

/** A contract instance whose parameters are to be read. */
export interface InstanceParameters {
  /** Solidity name, and where it stands. */
  readonly contract: WrittenName & { readonly at: Span };
  readonly params: PlanNode | undefined;
  /** The key `params`, or the instance's own key. */
  readonly paramsAt: Span;
  /** Undefined when the deployment names no version of the plan. */
  readonly version: LoadedVersion | undefined;
  /** True for what was signed elsewhere: its parameters are not the plan's. */
  readonly isSigned: boolean;
}

/** Constructor parameters by name; their Solidity types where the sources tell them. */
export interface ReadParameters {
  readonly params: JsonObject;
  readonly types?: Readonly<Record<string, string>>;
  /** Where several sources define the contract: the one that is meant. */
  readonly source?: ContractSource;
}

/**
 * Reads the constructor parameters of an instance and checks them against the sources of its version: contract
 * name, missing and unknown parameters, types. What the sources do not settle is left to the ABI.
 */
export async function readInstanceParameters(
  instance: InstanceParameters,
  drafting: Drafting,
  edges: Edge[],
): Promise<ReadParameters> {
  const values = readValues(instance, drafting, edges);
  const { expected, source } = await definitionOf(instance, drafting);
  const meant = source === undefined ? {} : { source };
  if (expected === undefined) return { params: values, ...meant };
  const { problems } = drafting;
  for (const { key, keySpan, value: node } of entriesOf(instance.params)) {
    const parameter = expected.find(({ name }) => name === key);
    if (parameter === undefined) {
      const message = `The constructor of ${instance.contract.name} has no parameter "${key}".`;
      const fix = suggestName(
        key,
        expected.map(({ name }) => name),
      );
      problems.report({ code: 'PLAN_PARAM_UNKNOWN', at: keySpan, message, ...(fix && { fix }) });
      continue;
    }
    const fit = fitValue(key, parameter.type, node, values[key] ?? null);
    for (const problem of fit.problems) problems.report(problem);
    values[key] = fit.value;
  }
  for (const { name, type } of expected) {
    if (Object.hasOwn(values, name)) continue;
    const message = `The constructor of ${instance.contract.name} needs "${name}" (${typeText(type)}).`;
    problems.report({
      code: 'PLAN_PARAM_MISSING',
      at: instance.paramsAt,
      message,
      fix: `Add "${name}:" to params.`,
    });
  }
  const types = Object.fromEntries(expected.map(({ name, type }) => [name, typeText(type)]));
  return { params: values, ...(expected.length > 0 && { types }), ...meant };
}

/** The values as written; a text that the service would take for a token is reported. */
function readValues({ params }: InstanceParameters, drafting: Drafting, edges: Edge[]): Record<string, Json> {
  const values: Record<string, Json> = {};
  for (const { key, value } of entriesOf(params)) {
    values[key] = readValue(value, drafting, edges);
    const token = tokenIn(values[key]);
    if (token === undefined) continue;
    const message = `"${key}" comes out as "${token}", which the service would take for the address of a contract.`;
    const fix = 'Write the placeholder where the parameter stands: what a variable holds is never one.';
    drafting.problems.report({ code: 'PLAN_TEMPLATE', at: value.span, message, fix });
  }
  return values;
}

/** A text in a value that the service reads as a token, whatever the plan meant: placeholders are taken out before. */
function tokenIn(value: Json): string | undefined {
  if (typeof value === 'string') return /^\{[A-Za-z_$][\w$]*_ADDRESS\}$/.test(value) ? value : undefined;
  if (typeof value !== 'object' || value === null || isPlaceholder(value)) return undefined;
  return Object.values(value as JsonObject)
    .map(tokenIn)
    .find((token) => token !== undefined);
}

/** What the sources tell of a contract, as far as they do; what is wrong is reported. */
async function definitionOf(
  { contract: { name, path, at }, version, isSigned }: InstanceParameters,
  drafting: Drafting,
): Promise<{ readonly expected?: readonly Parameter[] | undefined; readonly source?: ContractSource }> {
  if (version === undefined) return {};
  const lookup = findContract(version, { name, ...(path !== undefined && { path }) });
  if (lookup.type === 'unclear') return {};
  if (lookup.type === 'ambiguous') {
    const [first = name] = lookup.names;
    drafting.problems.report({
      code: 'PLAN_AMBIGUOUS_REFERENCE',
      at,
      message: `"${name}" is defined by several sources of ${version.id}: ${lookup.names.join(', ')}.`,
      fix: `Say which one is meant, e.g. contract: ${first}`,
    });
    return {};
  }
  if (lookup.type === 'unknown') {
    const where =
      path === undefined ? `No source of ${version.id}` : `"${path}" is no source of ${version.id} that`;
    const message = `${where} defines a contract "${name}".`;
    const { fix } = lookup;
    drafting.problems.report({ code: 'PLAN_CONTRACT_UNKNOWN', at, message, ...(fix && { fix }) });
    return {};
  }
  const source = lookup.source && { source: lookup.source };
  // What was signed elsewhere carries its parameters.
  if (isSigned) return { ...source };
  return { expected: await expectedParameters({ name, at, contract: lookup.contract }, drafting), ...source };
}

/** Parameters of the constructor; undefined when they are not known, with what is wrong reported. */
async function expectedParameters(
  { name, at, contract }: { readonly name: string; readonly at: Span; readonly contract: SolidityContract },
  { problems }: Drafting,
): Promise<readonly Parameter[] | undefined> {
  const { kind, parameters } = contract;
  if (kind === 'interface' || kind === 'abstract contract') {
    const message = `"${name}" is an ${kind}, which cannot be deployed.`;
    problems.report({
      code: 'PLAN_CONTRACT_UNKNOWN',
      at,
      message,
      fix: 'Name a contract that implements it.',
    });
    return undefined;
  }
  if (parameters === undefined || parameters.trim() === '') return [];
  const expected = await readParameters(parameters);
  if (expected === undefined) {
    const message = `The constructor of "${name}" could not be read from its source; its parameters are checked after compiling.`;
    problems.report({ code: 'PLAN_SOURCE_SYNTAX', at, message, severity: 'warning' });
  }
  return expected?.some(({ name }) => name === '') === true ? undefined : expected;
}
