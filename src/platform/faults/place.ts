import { isJsonObject, type Json } from '../../model/json.js';
import { millisecondsOf } from './time-text.js';

/** A mistake in a document, and where it stands: member names and list indexes from the top. */
export interface RuleProblem {
  readonly path: readonly (string | number)[];
  /** One sentence. */
  readonly message: string;
  /** What was written, and the names that there are, where a name was not one of them. */
  readonly name?: { readonly written: string; readonly known: readonly string[] };
}

/**
 * A value of a document with its place. Readers note a mistake and answer a value of the right type, so that all
 * mistakes are found at once; nothing that was read may be used when there is one.
 */
export class Place {
  readonly value: Json | undefined;
  readonly #path: readonly (string | number)[];
  readonly #problems: RuleProblem[];

  constructor(value: Json | undefined, path: readonly (string | number)[], problems: RuleProblem[]) {
    this.value = value;
    this.#path = path;
    this.#problems = problems;
  }

  /** True when there is a value; null counts as none. */
  get given(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** Notes a mistake here. */
  fault(message: string, name?: RuleProblem['name']): void {
    this.#problems.push({ path: this.#path, message, ...(name && { name }) });
  }

  /** The members of an object; notes those that have another name. Empty places when it is no object. */
  members<Name extends string>(names: readonly Name[]): Readonly<Record<Name, Place>> {
    const object = isJsonObject(this.value) ? this.value : {};
    if (!isJsonObject(this.value)) this.fault(`An object with ${names.join(', ')} belongs here.`);
    for (const name of Object.keys(object)) {
      if ((names as readonly string[]).includes(name)) continue;
      const message = `There is no ${JSON.stringify(name)} here; there are ${names.join(', ')}.`;
      this.at(name, object[name]).fault(message, { written: name, known: names });
    }
    const places = names.map((name) => [
      name,
      this.at(name, Object.hasOwn(object, name) ? object[name] : undefined),
    ]);
    return Object.fromEntries(places) as Record<Name, Place>;
  }

  /** The items of a list of at most `max`. */
  items(max: number): readonly Place[] {
    if (!Array.isArray(this.value)) {
      this.fault('A list belongs here.');
      return [];
    }
    const items = this.value as readonly Json[];
    if (items.length > max) this.fault(`At most ${String(max)} stand here.`);
    return items.slice(0, max).map((item, index) => this.at(index, item));
  }

  /** A place below this one. */
  at(step: string | number, value: Json | undefined): Place {
    return new Place(value, [...this.#path, step], this.#problems);
  }

  /** A whole number of a range. */
  whole(min: number, max: number): number {
    const { value } = this;
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    this.fault(`A whole number from ${String(min)} to ${String(max)} belongs here.`);
    return min;
  }

  /** A number from 0 to 1. */
  share(): number {
    const { value } = this;
    if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    this.fault('A number from 0 to 1 belongs here.');
    return 0;
  }

  /** A text that a pattern allows; `what` says which one, in words. */
  text(pattern: RegExp, what: string): string {
    const { value } = this;
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.fault(`${what} belongs here.`);
    return '';
  }

  /** One of some names. */
  oneOf<Name extends string>(names: readonly [Name, ...Name[]]): Name {
    const found = names.find((name) => name === this.value);
    if (found !== undefined) return found;
    const known = { known: names, written: typeof this.value === 'string' ? this.value : '' };
    this.fault(`One of ${names.join(', ')} belongs here.`, known);
    return names[0];
  }

  /** True or false. */
  flag(): boolean {
    if (typeof this.value !== 'boolean') this.fault('true or false belongs here.');
    return this.value === true;
  }

  /** A time (`250ms`, `3s`, `15m`, `2h`, `1d`) in milliseconds, at most `max`. */
  time(max: number): number {
    const time = typeof this.value === 'string' ? millisecondsOf(this.value) : undefined;
    if (time === undefined) this.fault('A time belongs here: 250ms, 3s, 15m, 2h or 1d.');
    else if (time > max) this.fault(`This is at most ${String(max / 1000)}s.`);
    else return time;
    return 0;
  }
}
