import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { checksummed } from '../chain/signing.js';
import { invalid } from './handler.js';

const ZERO_ADDRESS = /^0x0{40}$/;

/** Ids in one list. */
const MOST_IDS = 100;

/** Fields that a refusal complains of. */
const MOST_FAULTS = 100;

/** True when text cannot travel: a NUL ends it for bcrypt and C, a lone surrogate has no UTF-8. */
export function isUnsafeText(text: string): boolean {
  return text.includes('\0') || /\p{Cs}/u.test(text);
}

/** The JSON text of a value; undefined when it is nested too deeply to write down. */
export function jsonText(value: Json): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** A field's name as validation texts spell it: `wallet_address` is "wallet address". */
function spoken(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

/**
 * Reads the fields of a request and gathers every mistake before refusing. After a mistake a reader answers an
 * empty value, so `check` must come before any of them is used. `''` and null count as absent.
 */
export class Fields {
  readonly #values: JsonObject;
  readonly #prefix: string;
  readonly #errors: Map<string, string[]>;

  /** @param body JSON body or form fields */
  constructor(body: JsonObject, prefix = '', errors: Map<string, string[]> = new Map()) {
    this.#values = body;
    this.#prefix = prefix;
    this.#errors = errors;
  }

  /** The fields of a nested object; its mistakes are gathered here. Empty when it is absent. */
  nested(name: string): Fields {
    const value = this.value(name);
    if (value !== undefined && !isJsonObject(value)) this.fault(name, 'must be an array.');
    return new Fields(isJsonObject(value) ? value : {}, `${this.#prefix}${name}.`, this.#errors);
  }

  /** Fields of an object inside these, for instance an item of a list; its mistakes are gathered here. */
  within(values: JsonObject, name: string): Fields {
    return new Fields(values, `${this.#prefix}${name}.`, this.#errors);
  }

  /** The value as it came; undefined when absent. */
  value(name: string): Json | undefined {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    return value === null || value === '' ? undefined : value;
  }

  /** A required string of at most `max` characters. */
  text(name: string, max = 255): string {
    return this.optionalText(name, max) ?? this.#missing(name);
  }

  /** A string of at most `max` characters, or undefined when absent. */
  optionalText(name: string, max = 255): string | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') this.fault(name, 'must be a string.');
    else if (isUnsafeText(value)) this.fault(name, 'format is invalid.');
    else if (value.length > max) this.fault(name, `must not be greater than ${String(max)} characters.`);
    else return value;
    return '';
  }

  /** A required address other than zero, checksummed. */
  address(name: string): string {
    const value = this.value(name);
    if (value === undefined) return this.#missing(name);
    const address = checksummed(value);
    if (address !== undefined && !ZERO_ADDRESS.test(address)) return address;
    this.fault(name, 'must be a valid address.');
    return '';
  }

  /** A whole number from `min` to 2^53 - 1, as a number or as digits; undefined when absent. */
  optionalInteger(name: string, min = 0): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const number = integerOf(value);
    if (number !== undefined && number >= min) return number;
    this.fault(name, number === undefined ? 'must be an integer.' : `must be at least ${String(min)}.`);
    return min;
  }

  /** A required whole number from `min`. */
  integer(name: string, min = 0): number {
    const value = this.optionalInteger(name, min);
    if (value === undefined) this.#missing(name);
    return value ?? min;
  }

  /** `true`, `false`, `1`, `0`, `"1"` or `"0"`; undefined when absent. */
  optionalBoolean(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (value === true || value === 1 || value === '1') return true;
    if (value !== false && value !== 0 && value !== '0') this.fault(name, 'must be true or false.');
    return false;
  }

  /** A list of at most 100 ids, each once; empty when absent. */
  ids(name: string): readonly number[] {
    const value = this.value(name) ?? [];
    if (!Array.isArray(value)) {
      this.fault(name, 'must be an array.');
      return [];
    }
    if (value.length > MOST_IDS) {
      this.fault(name, `must not have more than ${String(MOST_IDS)} items.`);
      return [];
    }
    const ids = (value as readonly Json[]).map((item, at) => {
      const id = integerOf(item);
      if (id === undefined) this.fault(`${name}.${String(at)}`, 'must be an integer.');
      return id ?? 0;
    });
    return [...new Set(ids)];
  }

  /** Notes a mistake; `text` follows "The … field ". */
  fault(name: string, text: string): void {
    this.#note(name, `The ${spoken(this.#prefix + name)} field ${text}`);
  }

  /** Notes that a field names nothing that the caller may use. */
  unknown(name: string): void {
    this.#note(name, `The selected ${spoken(this.#prefix + name)} is invalid.`);
  }

  /** @throws ServiceError 422 with every mistake noted so far */
  check(): void {
    if (this.#errors.size > 0) throw invalid(Object.fromEntries(this.#errors));
  }

  #note(name: string, text: string): void {
    const field = this.#prefix + name;
    if (this.#errors.size >= MOST_FAULTS && !this.#errors.has(field)) return;
    this.#errors.set(field, [...(this.#errors.get(field) ?? []), text]);
  }

  #missing(name: string): '' {
    this.fault(name, 'is required.');
    return '';
  }
}

function integerOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value)) return undefined;
  return Number(value);
}
