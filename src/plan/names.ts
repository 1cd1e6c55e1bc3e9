import { resourceId, type KindName, type ResourceId } from '../model/id.js';
import { readAddress, standInFor } from '../model/address.js';
import type { AddressInput } from '../model/resource.js';
import { suggestName } from './nearest.js';
import { child, entriesOf, scalarOf, type Entry, type PlanNode, type ScalarNode } from './node.js';
import type { Problems } from './problems.js';

/** Something of the plan that has, or will have, an address. */
export interface Named {
  readonly id: ResourceId;
  readonly kind: KindName;
  /** Its key in the plan: the NAME of placeholders. */
  readonly key: string;
  /** What a placeholder may be qualified with: the deployment, or the kind. */
  readonly qualifier: string;
  /** Set for what exists already. */
  readonly address?: string;
}

/** What a name means: one thing, or why not. */
export type Resolution =
  | { readonly type: 'one'; readonly named: Named }
  | { readonly type: 'none'; readonly fix?: string }
  | { readonly type: 'several'; readonly fix: string };

/** Everything in the plan that a placeholder or a key can name. */
export interface Names {
  /** What `<NAME_ADDRESS>` or `<QUALIFIER.NAME_ADDRESS>` means. */
  readonly placeholder: (name: string, qualifier?: string) => Resolution;
  /**
   * True for an address that stands in for one which could not be read: nothing that follows from it is a mistake of its own.
   */
  readonly isDoubted: (address: AddressInput | undefined) => boolean;
  /** The thing itself by its id. */
  readonly byId: (id: ResourceId) => Named | undefined;
  /** What a key means where only some kinds fit. */
  readonly key: (key: string, kinds: readonly KindName[]) => Resolution;
}

/** The wallets of one environment: key → where it is declared and the definition that holds there. */
export type WalletEntries = ReadonlyMap<string, { readonly entry: Entry; readonly definition: PlanNode }>;

/** Collects the names of a plan, and reports existing addresses that are malformed. */
export function collectNames(document: PlanNode, wallets: WalletEntries, problems: Problems): Names {
  const all: Named[] = [];
  const doubted = new Set<string>();
  const add = (named: Omit<Named, 'address'>, definition: PlanNode): void => {
    const address = existingAddress(definition, problems, doubted);
    all.push({ ...named, ...(address !== undefined && { address }) });
  };
  for (const [key, { definition }] of wallets) {
    add({ id: resourceId('wallet', key), kind: 'wallet', key, qualifier: 'wallet' }, definition);
  }
  for (const { key: deployment, value } of entriesOf(child(document, 'deployments'))) {
    for (const { key, value: instance } of entriesOf(child(value, 'contracts'))) {
      const id = resourceId('contract', `${deployment}.${key}`);
      add({ id, kind: 'contract', key, qualifier: deployment }, instance);
    }
  }
  const others = { audit: 'audit-contract', certificates: 'certificate-contract' } as const;
  for (const [section, kind] of Object.entries(others)) {
    for (const { key, value } of entriesOf(child(document, section, 'contracts'))) {
      add({ id: resourceId(kind, key), kind, key, qualifier: kind }, value);
    }
  }
  return namesOf(all, doubted);
}

function namesOf(all: readonly Named[], doubted: ReadonlySet<string>): Names {
  return {
    isDoubted: (address) => typeof address === 'string' && doubted.has(address),
    placeholder: (name, qualifier) => {
      const named = all.filter((one) => one.key === name);
      const fitting = qualifier === undefined ? named : named.filter((one) => one.qualifier === qualifier);
      if (fitting.length > 0) return resolutionOf(fitting);
      const written = qualifier === undefined ? name : `${qualifier}.${name}`;
      const known = all.map((one) => (qualifier === undefined ? one.key : `${one.qualifier}.${one.key}`));
      return none(suggestName(written, [...new Set(known)])?.replaceAll(/"(.+)"/g, '<$1_ADDRESS>'));
    },
    byId: (id) => all.find((one) => one.id === id),
    key: (key, kinds) => {
      const candidates = all.filter((one) => kinds.includes(one.kind));
      const fitting = candidates.filter((one) => one.key === key);
      if (fitting.length > 0) return resolutionOf(fitting);
      return none(suggestName(key, [...new Set(candidates.map((one) => one.key))]));
    },
  };
}

function resolutionOf(fitting: readonly Named[]): Resolution {
  const [named, ...others] = fitting;
  if (named !== undefined && others.length === 0) return { type: 'one', named };
  const choices = fitting.map((one) => `<${one.qualifier}.${one.key}_ADDRESS>`);
  return { type: 'several', fix: `Write ${choices.join(' or ')}.` };
}

function none(fix: string | undefined): Resolution {
  return { type: 'none', ...(fix !== undefined && { fix }) };
}

function existingAddress(definition: PlanNode, problems: Problems, doubted: Set<string>): string | undefined {
  const node = scalarOf(child(definition, 'address'));
  return node && checkedAddress(node, problems, doubted);
}

/**
 * The address of a scalar with checksum. A malformed one is reported here and nowhere else: a well-formed address stands in
 * for it, so that no type is wrong because of it.
 *
 * @param doubted gets what stands in
 */
export function checkedAddress(node: ScalarNode, problems: Problems, doubted?: Set<string>): string {
  const reading = readAddress(node.text);
  if (reading.ok) return reading.address;
  const message = `"${node.text}" is no address: ${reading.reason}.`;
  problems.report({ code: 'PLAN_ADDRESS', at: node.span, message, ...(reading.fix && { fix: reading.fix }) });
  const standIn = standInFor(node.text);
  doubted?.add(standIn);
  return standIn;
}
