import type { KindName } from '../model/id.js';
import type { AddressInput } from '../model/resource.js';
import { looksLikeAddress, readAddress } from '../model/address.js';
import type { Drafting, Edge } from './draft.js';
import type { PlanNode, Span } from './node.js';
import { scalarOf } from './node.js';
import type { Names } from './names.js';
import type { Problem } from './problems.js';
import { addressOf, readText, textValue, type AuthoredText } from './text.js';

/** An address input with the edge that it makes, if it names something of the plan. */
export type PartyReading =
  | { readonly ok: true; readonly address: AddressInput; readonly edges: readonly Edge[] }
  | { readonly ok: false; readonly problem: Omit<Problem, 'at'> };

const KIND_WORDS: Partial<Record<KindName, string>> = {
  wallet: 'wallet',
  'audit-contract': 'audit contract',
  'certificate-contract': 'certificate contract',
};

/**
 * Reads who or what is meant: a key of one of the kinds, a literal address, or a placeholder. Mistakes are
 * reported; undefined then, and when the node is missing.
 */
export function readParty(
  node: PlanNode | undefined,
  kinds: readonly KindName[],
  drafting: Drafting,
  edges: Edge[],
): AddressInput | undefined {
  const scalar = scalarOf(node);
  if (scalar === undefined) return undefined;
  const text = readText(scalar, drafting);
  if (text === undefined) return undefined;
  const reading = partyOfText(text, kinds, drafting.names);
  if (reading.ok) {
    edges.push(...reading.edges);
    return reading.address;
  }
  drafting.problems.report({ ...reading.problem, at: scalar.span });
  return undefined;
}

function partyOfText(text: AuthoredText, kinds: readonly KindName[], names: Names): PartyReading {
  const value = textValue(text);
  if (typeof value === 'string' && text.edges.length === 0) {
    return partyOfName(value, kinds, names, text.node.span);
  }
  if (typeof value === 'string') {
    const reading = readAddress(value);
    if (reading.ok) return { ok: true, address: reading.address, edges: text.edges };
  } else if (value.$placeholder.length === 1) {
    return { ok: true, address: value, edges: text.edges };
  }
  const message = 'An address cannot be part of a longer text here.';
  return { ok: false, problem: { code: 'PLAN_ADDRESS', message } };
}

/** What a text without placeholders means: a literal address, or the key of something of the kinds. */
export function partyOfName(text: string, kinds: readonly KindName[], names: Names, at: Span): PartyReading {
  if (looksLikeAddress(text)) {
    const reading = readAddress(text);
    if (reading.ok) return { ok: true, address: reading.address, edges: [] };
    const message = `"${text}" is no address: ${reading.reason}.`;
    return {
      ok: false,
      problem: { code: 'PLAN_ADDRESS', message, ...(reading.fix && { fix: reading.fix }) },
    };
  }
  const found = names.key(text, kinds);
  if (found.type === 'one') {
    return { ok: true, address: addressOf(found.named), edges: [{ to: found.named.id, at }] };
  }
  const words = kinds.map((kind) => KIND_WORDS[kind] ?? kind).join(' or ');
  const article = /^[aeiou]/.test(words) ? 'an' : 'a';
  const message = `"${text}" is neither the name of ${article} ${words} of this plan nor an address.`;
  const fix = found.fix;
  return {
    ok: false,
    problem: { code: 'PLAN_UNKNOWN_REFERENCE', message, ...(fix !== undefined && { fix }) },
  };
}
