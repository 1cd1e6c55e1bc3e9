import { LOCAL, type Environment, type GitState } from '../model/environment.js';
import { CAPABILITIES } from '../protocol/endpoint.js';
import { checkedAddress, type WalletEntries } from './names.js';
import { suggestName } from './nearest.js';
import {
  booleanOf,
  child,
  entriesOf,
  integerOf,
  itemsOf,
  scalarOf,
  textOf,
  type Entry,
  type PlanNode,
} from './node.js';
import type { Problems } from './problems.js';
import { readAddressOfServer, secretSource, type Reach } from './reach.js';

/** What of a plan depends on the environment. */
export interface ResolvedEnvironment {
  readonly environment: Environment;
  /** All that the plan declares, in file order. */
  readonly environments: readonly Environment[];
  readonly vars: ReadonlyMap<string, string>;
  readonly wallets: WalletEntries;
}

const WINDOWS_MS: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000 };

/**
 * Resolves one environment: its connection, and variables and wallets with its overrides. `local` exists without
 * being declared. Overrides of every environment are checked, not only of this one.
 *
 * @param variables values given on the command line; they go before those of the plan
 */
export function resolveEnvironment(
  document: PlanNode,
  name: string,
  variables: Readonly<Record<string, string>>,
  reach: Reach,
): ResolvedEnvironment {
  const { problems } = reach;
  const declared = child(document, 'environments');
  for (const entry of entriesOf(declared)) checkEnvironment(entry, document, reach);
  for (const { value } of entriesOf(child(document, 'wallets'))) checkPerson(value, reach);
  const node = child(declared, name);
  if (node === undefined && name !== LOCAL) {
    const known = [LOCAL, ...entriesOf(declared).map(({ key }) => key)];
    const at = environmentsKey(document);
    const fix = suggestName(name, [...new Set(known)]);
    const message = `The environment "${name}" is not declared in the plan.`;
    problems.report({ code: 'PLAN_UNKNOWN_ENVIRONMENT', at, message, ...(fix && { fix }) });
  }
  return {
    environment: environmentOf(name, node, reach),
    environments: entriesOf(declared).map(({ key, value }) => environmentOf(key, value, reach)),
    vars: varsOf(document, node, variables, problems),
    wallets: walletsOf(document, node),
  };
}

function environmentsKey(document: PlanNode): { start: number; end: number } {
  const entry = document.type === 'map' ? document.entries.get('environments') : undefined;
  return entry?.keySpan ?? { start: document.span.start, end: document.span.start + 1 };
}

function checkEnvironment({ key, keySpan, value }: Entry, document: PlanNode, reach: Reach): void {
  const { problems } = reach;
  if (key !== LOCAL && value.type === 'map' && child(value, 'base_url') === undefined) {
    const message = `The environment "${key}" needs the key "base_url".`;
    problems.report({ code: 'PLAN_MISSING_KEY', at: keySpan, message });
  }
  for (const section of ['vars', 'wallets'] as const) {
    const known = entriesOf(child(document, section)).map((entry) => entry.key);
    for (const override of entriesOf(child(value, section))) {
      if (section === 'wallets') checkOverride(override.value, reach);
      if (known.includes(override.key)) continue;
      const fix = suggestName(override.key, known);
      const message = `"${override.key}" overrides nothing: ${section} does not declare it.`;
      problems.report({ code: 'PLAN_UNKNOWN_REFERENCE', at: override.keySpan, message, ...(fix && { fix }) });
    }
  }
}

/** Wallets of environments that are not chosen are checked here; those of the chosen one again, which is the same. */
function checkOverride(node: PlanNode, reach: Reach): void {
  const address = scalarOf(node) ?? scalarOf(child(node, 'address'));
  if (address !== undefined) checkedAddress(address, reach.problems);
  checkPerson(node, reach);
}

/** Whom a wallet is made for may come from variables and files, also where another environment has another wallet. */
function checkPerson(wallet: PlanNode, reach: Reach): void {
  for (const { value } of entriesOf(child(wallet, 'create'))) secretSource(value, reach);
}

function environmentOf(name: string, node: PlanNode | undefined, reach: Reach): Environment {
  const isLocal = name === LOCAL;
  const baseUrl = readAddressOfServer(child(node, 'base_url'), 'base_url', reach)?.replace(/\/+$/, '');
  const rpcUrl = readAddressOfServer(child(node, 'rpc_url'), 'rpc_url', reach);
  const clientId = secretSource(child(node, 'credentials', 'client_id'), reach);
  const clientSecret = secretSource(child(node, 'credentials', 'client_secret'), reach);
  const rateLimit = rateOf(textOf(child(node, 'rate_limit')));
  const state = stateOf(child(node, 'state'));
  const listed = itemsOf(child(node, 'capabilities')).flatMap((item) => textOf(item) ?? []);
  return {
    name,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(clientId && clientSecret && { credentials: { clientId, clientSecret } }),
    callbacks: callbacksOf(child(node, 'callbacks'), isLocal, reach),
    ...(rateLimit && { rateLimit }),
    maxInFlight: integerOf(child(node, 'max_in_flight')) ?? (isLocal ? 32 : 1),
    sendOrder: textOf(child(node, 'send_order')) === 'any' ? 'any' : 'plan',
    ...(rpcUrl !== undefined && { rpcUrl }),
    capabilities: CAPABILITIES.filter((capability) => listed.includes(capability)),
    protected: booleanOf(child(node, 'protected')) ?? false,
    ...(state && { state }),
  };
}

/** `local` reaches its own listener, so callbacks are on there; elsewhere they need an address to be told. */
function callbacksOf(node: PlanNode | undefined, isLocal: boolean, reach: Reach): Environment['callbacks'] {
  if (node === undefined) return isLocal ? {} : 'off';
  if (node.type !== 'map') return 'off';
  const url = readAddressOfServer(child(node, 'url'), 'callbacks.url', reach)?.replace(/\/+$/, '');
  const listen = textOf(child(node, 'listen'));
  return { ...(url !== undefined && { url }), ...(listen !== undefined && { listen }) };
}

/** `git`, or `{git: {…}}`; undefined when the state lives in the plan's folder. */
export function stateOf(node: PlanNode | undefined): GitState | undefined {
  const git = child(node, 'git');
  if (textOf(node) !== 'git' && git === undefined) return undefined;
  const name = textOf(child(git, 'name'));
  return { remote: textOf(child(git, 'remote')) ?? 'origin', ...(name !== undefined && { name }) };
}

function rateOf(text: string | undefined): Environment['rateLimit'] {
  const [requests, unit] = text?.split('/') ?? [];
  const windowMs = WINDOWS_MS[unit ?? ''];
  return windowMs === undefined ? undefined : { requests: Number(requests), windowMs };
}

function varsOf(
  document: PlanNode,
  node: PlanNode | undefined,
  variables: Readonly<Record<string, string>>,
  problems: Problems,
): ReadonlyMap<string, string> {
  const vars = new Map<string, string>();
  const declared = entriesOf(child(document, 'vars'));
  for (const { key, value } of declared) vars.set(key, textOf(value) ?? '');
  for (const { key, value } of entriesOf(child(node, 'vars'))) vars.set(key, textOf(value) ?? '');
  for (const [key, value] of Object.entries(variables)) {
    if (!vars.has(key)) {
      const entry = document.type === 'map' ? document.entries.get('vars') : undefined;
      const at = entry?.keySpan ?? { start: document.span.start, end: document.span.start + 1 };
      const fix = suggestName(
        key,
        declared.map((known) => known.key),
      );
      const message = `The variable "${key}" was given a value but is not declared under vars.`;
      problems.report({ code: 'PLAN_UNKNOWN_REFERENCE', at, message, ...(fix && { fix }) });
    }
    vars.set(key, value);
  }
  return vars;
}

function walletsOf(document: PlanNode, node: PlanNode | undefined): WalletEntries {
  const overrides = child(node, 'wallets');
  return new Map(
    entriesOf(child(document, 'wallets')).map((entry) => {
      const override = child(overrides, entry.key);
      return [
        entry.key,
        { entry, definition: override === undefined ? entry.value : definitionOf(override) },
      ];
    }),
  );
}

/** An override may be the bare address: it means `{address}`. */
function definitionOf(override: PlanNode): PlanNode {
  if (override.type !== 'scalar') return override;
  const address = { key: 'address', keySpan: override.span, value: override };
  return { type: 'map', entries: new Map([['address', address]]), span: override.span };
}
