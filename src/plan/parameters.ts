import type { JsonObject, Json } from '../model/json.js';
import type { Drafting, Edge } from './draft.js';
import { suggestName } from './nearest.js';
import { entriesOf, type PlanNode, type Span } from './node.js';
import { fitValue } from './parameter-value.js';
import type { LoadedVersion } from './projects.js';
import { findContract, readParameters, typeText, type Parameter } from './solidity.js';
import { readValue } from './text.js';

/** A contract instance whose parameters are to be read. */
export interface InstanceParameters {
  /** Solidity name and where it stands. */
  readonly contract: { readonly name: string; readonly at: Span };
  readonly params: PlanNode | undefined;
  /** The key `params`, or the instance's own key. */
  readonly paramsAt: Span;
  /** Undefined when the deployment names no version of the plan. */
  readonly version: LoadedVersion | undefined;
}

/** Constructor parameters by name; their Solidity types where the sources tell them. */
export interface ReadParameters {
  readonly params: JsonObject;
  readonly types?: Readonly<Record<string, string>>;
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
  const values: Record<string, Json> = {};
  for (const { key, value } of entriesOf(instance.params)) values[key] = readValue(value, drafting, edges);
  const expected = await expectedParameters(instance, drafting);
  if (expected === undefined) return { params: values };
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
  return { params: values, ...(expected.length > 0 && { types }) };
}

/** Parameters of the constructor; undefined when they are not known, with what is wrong reported. */
async function expectedParameters(
  { contract: { name, at }, version }: InstanceParameters,
  { problems }: Drafting,
): Promise<readonly Parameter[] | undefined> {
  if (version === undefined) return undefined;
  const lookup = findContract(version, name);
  if (lookup.type === 'unclear') return undefined;
  if (lookup.type === 'unknown') {
    const message = `No source of ${version.id} defines a contract "${name}".`;
    problems.report({ code: 'PLAN_CONTRACT_UNKNOWN', at, message, ...(lookup.fix && { fix: lookup.fix }) });
    return undefined;
  }
  const { kind, parameters } = lookup.contract;
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
