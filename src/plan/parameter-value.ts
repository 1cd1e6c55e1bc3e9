import type { Json } from '../model/json.js';
import { isPlaceholder } from '../model/value.js';
import { readAddress } from '../model/address.js';
import type { PlanNode } from './node.js';
import type { Problem } from './problems.js';
import { typeText, type SolidityType } from './solidity.js';

/** A value in the form in which it is sent, or the mistakes in it. */
export type Fit = { readonly value: Json; readonly problems: readonly Problem[] };

type Scalar = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly reason: string };

/**
 * Checks a value against a parameter's type and gives it its one form: addresses with checksum, integers as
 * decimal text of any length. User-defined types take anything.
 *
 * @param name the parameter, for messages
 */
export function fitValue(name: string, type: SolidityType, node: PlanNode, value: Json): Fit {
  if (hasFailed(node, value)) return { value, problems: [] };
  if (type.type === 'array') return fitArray(name, type, node, value);
  const fit = type.type === 'named' ? fitNamed(value) : fitElementary(type.name, node, value);
  if (fit.ok) return { value: fit.value, problems: [] };
  const isAddress = type.name === 'address' && typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);
  const message = `"${name}" is of type ${typeText(type)}: ${fit.reason}.`;
  return {
    value,
    problems: [{ code: isAddress ? 'PLAN_ADDRESS' : 'PLAN_PARAM_TYPE', at: node.span, message }],
  };
}

/** True when reading the value was reported as a mistake already. */
function hasFailed(node: PlanNode, value: Json): boolean {
  return node.type === 'broken' || (node.type === 'scalar' && node.value !== null && value === null);
}

function fitArray(
  name: string,
  type: SolidityType & { readonly type: 'array' },
  node: PlanNode,
  value: Json,
): Fit {
  if (node.type !== 'list' || !Array.isArray(value)) {
    const message = `"${name}" is of type ${typeText(type)}: write a list.`;
    return { value, problems: [{ code: 'PLAN_PARAM_TYPE', at: node.span, message }] };
  }
  const items = value as readonly Json[];
  const fits = node.items.map((item, at) => fitValue(`${name}[${at}]`, type.item, item, items[at] ?? null));
  const problems = fits.flatMap((fit) => fit.problems);
  const wrong = type.length !== undefined && type.length !== items.length;
  const message = `"${name}" takes ${type.length} items, not ${items.length}.`;
  const length: Problem[] = wrong ? [{ code: 'PLAN_PARAM_TYPE', at: node.span, message }] : [];
  return { value: fits.map((fit) => fit.value), problems: [...length, ...problems] };
}

/** A contract is given by its address, so an address is checked; structs, enums and the rest are not known here. */
function fitNamed(value: Json): Scalar {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return { ok: true, value };
  return fitAddress(value);
}

function fitElementary(type: string, node: PlanNode, value: Json): Scalar {
  if (type === 'string') return fitString(node, value);
  if (type === 'bool') {
    return typeof value === 'boolean' ? { ok: true, value } : refuse('write true or false without quotes');
  }
  if (type === 'address') return fitAddress(value);
  const integer = /^(u?)int(\d*)$/.exec(type);
  if (integer !== null) {
    return fitInteger(value, { isSigned: integer[1] === '', bits: Number(integer[2] || 256) });
  }
  const bytes = /^bytes?(\d*)$/.exec(type);
  if (bytes !== null) return fitBytes(value, type === 'byte' ? 1 : bytes[1] ? Number(bytes[1]) : undefined);
  return { ok: true, value };
}

function fitString(node: PlanNode, value: Json): Scalar {
  if (typeof value === 'number' && node.type === 'scalar') return { ok: true, value: node.text };
  return typeof value === 'string' || isPlaceholder(value)
    ? { ok: true, value }
    : refuse('write text; quote it if it reads as something else');
}

function fitAddress(value: Json): Scalar {
  if (isPlaceholder(value)) {
    return value.$placeholder.length === 1
      ? { ok: true, value }
      : refuse('a placeholder has to be the whole value');
  }
  if (typeof value !== 'string') return refuse('write an address or <NAME_ADDRESS>');
  const reading = readAddress(value);
  return reading.ok ? { ok: true, value: reading.address } : refuse(reading.reason);
}

function fitInteger(value: Json, { isSigned, bits }: { isSigned: boolean; bits: number }): Scalar {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^(?:-?\d+|0x[0-9a-fA-F]+)$/.test(text)) {
    return refuse('write a whole number in decimal digits');
  }
  const number = BigInt(text);
  const least = isSigned ? -(2n ** BigInt(bits - 1)) : 0n;
  const most = 2n ** BigInt(isSigned ? bits - 1 : bits) - 1n;
  if (number < least) return refuse(`${text} is less than ${least}`);
  return number > most
    ? refuse(`${text} is more than its ${bits} bits hold`)
    : { ok: true, value: String(number) };
}

function fitBytes(value: Json, size: number | undefined): Scalar {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) {
    return refuse('write 0x and an even number of hex digits');
  }
  const given = (value.length - 2) / 2;
  return size === undefined || given === size
    ? { ok: true, value: value.toLowerCase() }
    : refuse(`write ${size * 2} hex digits after 0x, not ${given * 2}`);
}

function refuse(reason: string): Scalar {
  return { ok: false, reason };
}
