/** Longest pattern in UTF-16 units. What matching costs grows with its length times that of the path, and no faster. */
export const MAX_PATTERN = 256;

/** True for a text with pattern characters; anything else is a path. */
export function isPattern(text: string): boolean {
  return /[*?{[]/.test(text);
}

/** Where a matcher stands after a part of a path; empty: nothing that begins so matches. */
export type GlobStates = readonly number[];

/** A pattern, ready to be held against paths piece by piece. */
export interface GlobMatcher {
  readonly start: GlobStates;
  /** The states after some more of the path. */
  readonly step: (states: GlobStates, text: string) => GlobStates;
  /** True when the whole path so far matches. */
  readonly accepts: (states: GlobStates) => boolean;
  /** The three above for a whole path. */
  readonly matches: (path: string) => boolean;
}

/** What a node of the automaton takes: one character, any but `/`, any at all. */
type Takes = { readonly character: string } | 'inside' | 'anything';

interface Node {
  /** Nodes reached without taking anything. */
  readonly free: number[];
  readonly takes?: Takes;
  /** Where what it takes leads. */
  readonly to?: number;
}

/**
 * A pattern over `/`-separated relative paths: `*` and `?` stay inside one folder, `**` crosses any number of them,
 * `{a,b}` is a choice. Everything else stands for itself. All the ways to match are followed at once (Thompson's
 * construction), so no pattern makes it go back.
 */
export function compileGlob(pattern: string): GlobMatcher {
  const { nodes, accepting } = construct(pattern);
  const closure = closureIn(nodes);
  const start = closure([0]);
  const step = (states: GlobStates, text: string): GlobStates => {
    let current = states;
    for (const character of text) {
      if (current.length === 0) return current;
      const taken = current.flatMap((at) => {
        const { takes, to } = nodes[at] ?? {};
        return takes !== undefined && to !== undefined && isTaken(takes, character) ? [to] : [];
      });
      current = closure(taken);
    }
    return current;
  };
  const accepts = (states: GlobStates): boolean => states.includes(accepting);
  return { start, step, accepts, matches: (path) => accepts(step(start, path)) };
}

function isTaken(takes: Takes, character: string): boolean {
  if (typeof takes === 'object') return takes.character === character;
  return takes === 'anything' || character !== '/';
}

/** Adds all that is reached without taking anything, each node once. */
function closureIn(nodes: readonly Node[]): (from: readonly number[]) => GlobStates {
  const seen = new Uint32Array(nodes.length);
  let round = 0;
  return (from) => {
    round += 1;
    const reached: number[] = [];
    const waiting = [...from];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen[at] === round) continue;
      seen[at] = round;
      reached.push(at);
      waiting.push(...(nodes[at]?.free ?? []));
    }
    return reached;
  };
}

/** A choice that is open: where its alternatives begin, and where those that are over end. */
interface Choice {
  readonly start: number;
  readonly ends: number[];
}

function construct(pattern: string): { readonly nodes: readonly Node[]; readonly accepting: number } {
  const built = new Construction();
  const signs: readonly string[] = pattern.match(SIGN) ?? [];
  const lastClosing = signs.lastIndexOf('}');
  for (const [at, sign] of signs.entries()) {
    const isChoice = sign === '{' ? at < lastClosing : built.isInChoice;
    if (isChoice && sign === '{') built.open();
    else if (isChoice && sign === ',') built.alternative();
    else if (isChoice && sign === '}') built.close();
    else built.add(sign);
  }
  while (built.isInChoice) built.close();
  return { nodes: built.nodes, accepting: built.end };
}

/** What means something as one: stars with what belongs to them, or a character. */
const SIGN = /\*\*\/|\*\*|[^]/gu;

/** An automaton that is being built, from its beginning to its end. */
class Construction {
  readonly nodes: Node[] = [{ free: [] }];
  readonly #choices: Choice[] = [];
  #end = 0;

  get end(): number {
    return this.#end;
  }

  get isInChoice(): boolean {
    return this.#choices.length > 0;
  }

  /** Goes on with a sign that is no part of a choice's own. */
  add(sign: string): void {
    if (sign === '**/') this.#folders();
    else if (sign === '**') this.#repeat('anything');
    else if (sign === '*') this.#repeat('inside');
    else this.#next(sign === '?' ? 'inside' : { character: sign });
  }

  open(): void {
    this.#choices.push({ start: this.#end, ends: [] });
    this.#branch(this.#end);
  }

  alternative(): void {
    const choice = this.#choices.at(-1);
    choice?.ends.push(this.#end);
    this.#branch(choice?.start ?? 0);
  }

  close(): void {
    const ends = [...(this.#choices.pop()?.ends ?? []), this.#end];
    this.#end = this.#node();
    for (const one of ends) this.#join(one, this.#end);
  }

  #node(takes?: Takes, to?: number): number {
    return this.nodes.push({ free: [], ...(takes && { takes }), ...(to !== undefined && { to }) }) - 1;
  }

  #join(from: number, to: number): void {
    this.nodes[from]?.free.push(to);
  }

  #branch(from: number): void {
    this.#end = this.#node();
    this.#join(from, this.#end);
  }

  #next(takes: Takes): void {
    const after = this.#node();
    this.#join(this.#end, this.#node(takes, after));
    this.#end = after;
  }

  /** Any number of what is taken. */
  #repeat(takes: Takes): void {
    const loop = this.nodes.length;
    this.#node(takes, loop);
    this.#join(this.#end, loop);
    this.#branch(loop);
  }

  /** Any number of folders, each with a name and `/`. */
  #folders(): void {
    const before = this.#node();
    this.#join(this.#end, before);
    const slash = this.#node({ character: '/' }, before);
    const more = this.nodes.length;
    this.#node('inside', more);
    this.#join(more, slash);
    this.#join(before, this.#node('inside', more));
    this.#branch(before);
  }
}

/** The folder under which everything that a pattern matches lies; empty for the plan's own folder. */
export function patternRoot(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex(isPattern);
  return parts.slice(0, first < 0 ? -1 : first).join('/');
}
