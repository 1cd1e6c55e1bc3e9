import { isEnumerated } from './event-shape.js';
import { MAX_HOLES, numberEnd, QUOTE, textEnd, viewOf, type EventForm, type FormPart } from './event-form.js';
import type { JournalEvent } from './event.js';

const COMMA = 0x2c;
const UTF8 = new TextEncoder();

/**
 * The form of an event, or undefined for one that has none: only what a plain step leaves behind is worth it.
 *
 * @param json its text in the journal
 */
export function formOf(event: JournalEvent, json: string): EventForm | undefined {
  if (!isPlain(event) || JSON.stringify(event) !== json) return undefined;
  const draft = new FormDraft(event, UTF8.encode(json));
  const form = draft.finish();
  return form !== undefined && hasItsHoles(form) ? form : undefined;
}

/** True for an event that a step with one resource leaves when all goes well. */
function isPlain(event: JournalEvent): boolean {
  if (event.type === 'step-intended')
    return event.resources.length === 1 && Object.keys(event.inputs).length === 1;
  if (event.type === 'step-settled')
    return event.state === 'confirmed' && Object.keys(event.outputs).length === 1;
  return event.type === 'step-answered' || event.type === 'step-evidenced';
}

function hasItsHoles({ type, holes, value }: EventForm): boolean {
  const { step, at, token, resource, key } = holes;
  if (step < 0 || at < 0) return false;
  if (type === 'step-intended') return token >= 0 && resource >= 0 && key >= 0 && value !== undefined;
  return type === 'step-settled' ? key >= 0 && value !== undefined : true;
}

/** Takes one text apart. */
class FormDraft {
  readonly #event: JournalEvent;
  readonly #bytes: Uint8Array;
  readonly #literals: Uint8Array[] = [];
  readonly #texts: number[] = [];
  readonly #holes = { step: -1, at: -1, token: -1, resource: -1, key: -1, transaction: -1 };
  /** The names of the members that the place is in; '' for an item of a list. */
  readonly #path: string[] = [];
  #literalFrom = 0;
  /** What the text that was taken apart last means. */
  #made: FormPart = NOTHING;
  #value: FormPart | undefined;

  constructor(event: JournalEvent, bytes: Uint8Array) {
    this.#event = event;
    this.#bytes = bytes;
  }

  finish(): EventForm | undefined {
    const end = this.#object(0);
    if (end !== this.#bytes.length || this.#texts.length > MAX_HOLES) return undefined;
    this.#literals.push(this.#bytes.slice(this.#literalFrom));
    let size = 0;
    const literals = Buffer.concat(this.#literals);
    return {
      type: this.#event.type,
      literals,
      words: viewOf(literals),
      ends: Uint32Array.from(this.#literals, ({ length }) => (size += length)),
      texts: Uint8Array.from(this.#texts),
      holes: this.#holes,
      value: this.#value,
      whole: this.#made,
      hasPlaceholders: literals.includes('$placeholder'),
      grade: this.#event.type === 'step-settled' ? this.#event.grade : undefined,
    };
  }

  /** Each of these gives the end of what begins at `at`, or -1 when no form can hold it. */
  #any(at: number): number {
    const byte = this.#bytes[at];
    if (byte === 0x7b) return this.#object(at);
    if (byte === 0x5b) return this.#list(at);
    return byte === QUOTE ? this.#text(at) : this.#word(at);
  }

  #object(start: number): number {
    const names: (string | number)[] = [];
    const values: FormPart[] = [];
    let at = start + 1;
    while (this.#bytes[at] === QUOTE) {
      const end = textEnd(this.#bytes, at + 1, this.#bytes.length);
      const name = end < 0 ? PROTOTYPE : Buffer.from(this.#bytes.subarray(at + 1, end)).toString();
      if (name === PROTOTYPE) return -1;
      const isKept = this.#isKept(name);
      const isKey = isKept && name !== 'ids';
      if (isKey) this.#holes.key = this.#hole(at + 1, end, 1);
      names.push(isKey ? this.#holes.key : name);
      this.#path.push(name);
      at = this.#any(end + 2);
      this.#path.pop();
      if (at < 0) return -1;
      values.push(this.#made);
      if (isKept) this.#value = this.#made;
      if (this.#bytes[at] === COMMA) at += 1;
    }
    this.#made = { type: 'object', names, values };
    return at + 1;
  }

  /** True for the one member of `inputs` or `outputs`, and for the `ids` of an answer. */
  #isKept(name: string): boolean {
    const [within] = this.#path;
    if (within === undefined) return this.#event.type === 'step-answered' && name === 'ids';
    return this.#path.length === 1 && (within === 'inputs' || within === 'outputs');
  }

  #list(start: number): number {
    const items: FormPart[] = [];
    let at = start + 1;
    while (at > 0 && this.#bytes[at] !== 0x5d) {
      this.#path.push('');
      at = this.#any(at);
      this.#path.pop();
      items.push(this.#made);
      if (this.#bytes[at] === COMMA) at += 1;
    }
    this.#made = { type: 'list', items };
    return at < 0 ? -1 : at + 1;
  }

  #text(at: number): number {
    const end = textEnd(this.#bytes, at + 1, this.#bytes.length);
    if (end < 0) return -1;
    const [name = '', ...inner] = this.#path;
    if (inner.length === 0 && isEnumerated(this.#event.type, name)) {
      this.#made = this.#constant(at, end + 1);
      return end + 1;
    }
    const hole = this.#hole(at + 1, end, 1);
    this.#made = { type: 'hole', hole, isText: true };
    if (inner.length === 0 && (name === 'step' || name === 'at' || name === 'token'))
      this.#holes[name] = hole;
    if (inner.length === 1 && name === 'resources') this.#holes.resource = hole;
    if (this.#isTransaction()) this.#holes.transaction = hole;
    return end + 1;
  }

  #isTransaction(): boolean {
    const [within, name, inner, ...deeper] = this.#path;
    if (this.#event.type === 'step-evidenced')
      return within === 'facts' && name === 'transactionHash' && inner === undefined;
    return within === 'outputs' && inner === 'transaction' && deeper.length === 0;
  }

  /** A number, or one of `true`, `false`, `null`. */
  #word(start: number): number {
    let at = start;
    while (at < this.#bytes.length && !ENDS.has(this.#bytes[at] ?? 0)) at += 1;
    const isWord = (this.#bytes[start] ?? 0) >= 0x61;
    if (!isWord && numberEnd(this.#bytes, start, this.#bytes.length) !== at) return -1;
    this.#made = isWord
      ? this.#constant(start, at)
      : { type: 'hole', hole: this.#hole(start, at, 0), isText: false };
    return at;
  }

  #constant(from: number, to: number): FormPart {
    const json = Buffer.from(this.#bytes.subarray(from, to)).toString();
    return { type: 'constant', value: JSON.parse(json) as string | boolean | null };
  }

  #hole(from: number, to: number, text: 0 | 1): number {
    this.#literals.push(this.#bytes.slice(this.#literalFrom, from));
    this.#literalFrom = to;
    return this.#texts.push(text) - 1;
  }
}

const NOTHING: FormPart = { type: 'constant', value: null };

/** A member of this name cannot be set as others are. */
const PROTOTYPE = '__proto__';

/** `,`, `]`, `}` */
const ENDS: ReadonlySet<number> = new Set([0x2c, 0x5d, 0x7d]);
