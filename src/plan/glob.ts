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
  takes?: Takes;
  to?: number;
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
  const nodes: Node[] = [{ free: [] }];
  const choices: Choice[] = [];
  let end = 0;
  const add = (): number => nodes.push({ free: [] }) - 1;
  const join = (from: number, to: number): void => void nodes[from]?.free.push(to);
  const take = (from: number, takes: Takes, to: number): void =>
    void Object.assign(nodes[from] ?? {}, { takes, to });
  const next = (takes: Takes): void => {
    const to = add();
    take(end, takes, to);
    end = to;
  };
  /** Any number of what is taken. */
  const repeat = (takes: Takes): void => {
    const loop = add();
    const after = add();
    join(end, loop);
    take(loop, takes, loop);
    join(loop, after);
    end = after;
  };
  const close = (): void => {
    const { ends } = choices.pop() ?? { ends: [] };
    const after = add();
    for (const one of [...ends, end]) join(one, after);
    end = after;
  };
  const characters = [...pattern];
  const lastClosing = characters.lastIndexOf('}');
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    const isDouble = character === '*' && characters[at + 1] === '*';
    if (isDouble && characters[at + 2] === '/') {
      end = folders(nodes, end);
      at += 2;
    } else if (isDouble) {
      repeat('anything');
      at += 1;
    } else if (character === '*') repeat('inside');
    else if (character === '?') next('inside');
    else if (character === '{' && at < lastClosing) {
      const start = end;
      choices.push({ start, ends: [] });
      end = add();
      join(start, end);
    } else if (character === '}' && choices.length > 0) close();
    else if (character === ',' && choices.length > 0) {
      const choice = choices.at(-1);
      choice?.ends.push(end);
      end = add();
      join(choice?.start ?? 0, end);
    } else next({ character });
  }
  while (choices.length > 0) close();
  return { nodes, accepting: end };
}

/** Any number of folders, each with a name and `/`. @returns the node after them */
function folders(nodes: Node[], end: number): number {
  const name = nodes.push({ free: [] }) - 1;
  const more = nodes.push({ free: [], takes: 'inside' }) - 1;
  const slash = nodes.push({ free: [], takes: { character: '/' }, to: name }) - 1;
  const first = nodes.push({ free: [], takes: 'inside', to: more }) - 1;
  const after = nodes.push({ free: [] }) - 1;
  nodes[end]?.free.push(name);
  nodes[name]?.free.push(first, after);
  Object.assign(nodes[more] ?? {}, { to: more });
  nodes[more]?.free.push(slash);
  return after;
}

/** The folder under which everything that a pattern matches lies; empty for the plan's own folder. */
export function patternRoot(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex(isPattern);
  return parts.slice(0, first < 0 ? -1 : first).join('/');
}
