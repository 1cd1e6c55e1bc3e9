import { solidityTokens, type SolidityToken } from './solidity-lexer.js';

/** An import statement: the path as written and where its literal (with quotes) stands. */
export interface SolidityImport {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Names in `import {A, B} from`; empty for whole-file imports. */
  readonly symbols: readonly string[];
}

/** A contract-like definition at the top of a file. */
export interface SolidityContract {
  readonly name: string;
  readonly kind: 'contract' | 'abstract contract' | 'interface' | 'library';
  /** Text between the brackets of the constructor; undefined without a constructor. */
  readonly parameters?: string;
}

/** What a source file imports and defines. */
export interface SolidityOutline {
  readonly imports: readonly SolidityImport[];
  readonly contracts: readonly SolidityContract[];
}

const KINDS: ReadonlySet<string> = new Set(['contract', 'interface', 'library']);
const OPENING = '{([';
const CLOSING = '})]';

/** Reads the outline of a source of any Solidity version; bodies are skipped, not understood. */
export function outlineOf(source: string): SolidityOutline {
  const tokens = [...solidityTokens(source)];
  const imports: SolidityImport[] = [];
  const contracts: SolidityContract[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const text = textAt(tokens, at);
    if (text === 'import') {
      const end = endOfStatement(tokens, at);
      const found = importOf(tokens.slice(at + 1, end));
      if (found !== undefined) imports.push(found);
      at = end;
    } else if (KINDS.has(text) && tokens[at + 1]?.type === 'word') {
      const open = indexOfMark(tokens, '{', at + 1);
      if (open === undefined) break;
      const close = closingOf(tokens, open);
      contracts.push(contractOf(tokens, at, { open, close }, source));
      at = close;
    } else if (OPENING.includes(text)) at = closingOf(tokens, at);
  }
  return { imports, contracts };
}

function importOf(tokens: readonly SolidityToken[]): SolidityImport | undefined {
  const literal = tokens.find((token) => token.type === 'string');
  if (literal === undefined) return undefined;
  const words = tokens
    .filter((token) => token.type === 'word' && token.text !== 'from')
    .map(({ text }) => text);
  const named = tokens[0]?.text === '{';
  const aliases = new Set(words.flatMap((word, index) => (words[index - 1] === 'as' ? [word] : [])));
  const symbols = named ? words.filter((word) => word !== 'as' && !aliases.has(word)) : [];
  return { path: literal.text.slice(1, -1), start: literal.start, end: literal.end, symbols };
}

function contractOf(
  tokens: readonly SolidityToken[],
  at: number,
  body: { readonly open: number; readonly close: number },
  source: string,
): SolidityContract {
  const name = textAt(tokens, at + 1);
  const word = textAt(tokens, at) as 'contract' | 'interface' | 'library';
  const kind = word === 'contract' && textAt(tokens, at - 1) === 'abstract' ? 'abstract contract' : word;
  for (let index = body.open + 1; index < body.close; index++) {
    const open = constructorBracket(tokens, index, name);
    if (open !== undefined) {
      const close = tokens[closingOf(tokens, open)];
      return { name, kind, parameters: source.slice(tokens[open]?.end, close?.start) };
    }
    if (OPENING.includes(textAt(tokens, index))) index = closingOf(tokens, index);
  }
  return { name, kind };
}

/** Before Solidity 0.5 a constructor could be a function with the contract's name. */
function constructorBracket(
  tokens: readonly SolidityToken[],
  index: number,
  name: string,
): number | undefined {
  const isOld = textAt(tokens, index) === 'function' && textAt(tokens, index + 1) === name;
  const open = index + (isOld ? 2 : 1);
  const isNew = textAt(tokens, index) === 'constructor';
  return (isOld || isNew) && textAt(tokens, open) === '(' ? open : undefined;
}

function endOfStatement(tokens: readonly SolidityToken[], from: number): number {
  return indexOfMark(tokens, ';', from + 1) ?? tokens.length;
}

function indexOfMark(tokens: readonly SolidityToken[], mark: string, from: number): number | undefined {
  for (let index = from; index < tokens.length; index += 1) if (tokens[index]?.text === mark) return index;
  return undefined;
}

/** Index of the bracket that closes the one at `open`; the last token when none does. */
function closingOf(tokens: readonly SolidityToken[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.type !== 'mark') continue;
    if (OPENING.includes(token.text)) depth++;
    if (CLOSING.includes(token.text)) depth--;
    if (depth === 0) return index;
  }
  return tokens.length - 1;
}

function textAt(tokens: readonly SolidityToken[], index: number): string {
  return tokens[index]?.text ?? '';
}
