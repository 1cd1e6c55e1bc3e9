import type { ResourceId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type { AddressInput } from '../model/resource.js';
import type { Placeholder } from '../model/value.js';
import type { Drafting, Edge } from './draft.js';
import { suggestName } from './nearest.js';
import type { PlanNode, ScalarNode, Span } from './node.js';
import { splitPlaceholders, type TextPiece } from './placeholder.js';

/** A part of an author's text: literal, the cell of a row, or an address known only when applied. */
export type TextPart = string | { readonly column: string } | { readonly ref: ResourceId };

/** An author's text taken apart, with variables filled in. */
export interface AuthoredText {
  readonly node: ScalarNode;
  /** Literals next to one another are joined; never empty. */
  readonly parts: readonly TextPart[];
  /** One per placeholder. */
  readonly edges: readonly Edge[];
}

/** The columns that a text may use. */
export type Columns = ReadonlySet<string> | 'any';

/**
 * Takes a text apart: placeholders first, on what the author wrote, then the templates in the rest. What cannot
 * be resolved is reported and left out.
 *
 * @param columns columns of the rows that the text is for; `any` when they could not be read; undefined where no
 * rows are
 */
export function readText(node: ScalarNode, drafting: Drafting, columns?: Columns): AuthoredText | undefined {
  const parts: TextPart[] = [];
  const edges: Edge[] = [];
  let good = true;
  for (const piece of splitPlaceholders(node.text)) {
    const read =
      piece.type === 'placeholder'
        ? resolvePlaceholder(piece, node, drafting, edges)
        : fillTemplate(piece.text, node, drafting, columns);
    if (read === undefined) good = false;
    else parts.push(...read);
  }
  return good ? { node, parts: joined(parts), edges } : undefined;
}

function resolvePlaceholder(
  piece: TextPiece & { readonly type: 'placeholder' },
  node: ScalarNode,
  drafting: Drafting,
  edges: Edge[],
): readonly TextPart[] | undefined {
  const at = spanWithin(node, piece.text, drafting.text);
  const found = drafting.names.placeholder(piece.name, piece.qualifier);
  if (found.type === 'one') {
    edges.push({ to: found.named.id, at });
    return [found.named.address ?? { ref: found.named.id }];
  }
  const code = found.type === 'none' ? 'PLAN_UNKNOWN_REFERENCE' : 'PLAN_AMBIGUOUS_REFERENCE';
  const reason = found.type === 'none' ? 'names nothing that the plan declares' : 'fits several resources';
  drafting.problems.report({
    code,
    at,
    message: `${piece.text} ${reason}.`,
    ...(found.fix !== undefined && { fix: found.fix }),
  });
  return undefined;
}

function fillTemplate(
  text: string,
  node: ScalarNode,
  drafting: Drafting,
  columns: Columns | undefined,
): readonly TextPart[] | undefined {
  const reading = drafting.templates(text);
  const report = (source: string, message: string, fix?: string): void => {
    const at = spanWithin(node, source, drafting.text);
    drafting.problems.report({ code: 'PLAN_TEMPLATE', at, message, ...(fix && { fix }) });
  };
  if (!reading.ok) {
    report(reading.source, `${reading.reason}.`);
    return undefined;
  }
  let good = true;
  const parts = reading.pieces.map((piece): TextPart => {
    if (typeof piece === 'string') return piece;
    const { name, source, type } = piece;
    if (type === 'variable') {
      const value = drafting.vars.get(name);
      if (value !== undefined) return value;
      report(
        source,
        `The variable "${name}" is not declared under vars.`,
        suggestName(name, [...drafting.vars.keys()]),
      );
    } else if (columns === 'any' || columns?.has(name) === true) return { column: name };
    else if (columns === undefined) {
      report(
        source,
        `There are no rows here, so {{${name}}} has no value.`,
        `Use {{vars.${name}}} and declare it under vars.`,
      );
    } else report(source, `The rows have no column "${name}".`, suggestName(name, [...columns]));
    good = false;
    return '';
  });
  return good ? parts : undefined;
}

function joined(parts: readonly TextPart[]): readonly TextPart[] {
  const result: TextPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (typeof part === 'string' && typeof last === 'string') result[result.length - 1] = last + part;
    else if (part !== '') result.push(part);
  }
  return result.length === 0 ? [''] : result;
}

/** Where a piece of a scalar stands in the file; the whole scalar when escapes hide it. */
function spanWithin(node: ScalarNode, piece: string, text: string): Span {
  const start = piece === '' ? -1 : text.indexOf(piece, node.span.start);
  const end = start + piece.length;
  return start >= 0 && end <= node.span.end ? { start, end } : node.span;
}

/** The value of a text outside of rows: a string, or a string with placeholders. */
export function textValue({ parts }: AuthoredText): string | Placeholder {
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'string') return first;
  return { $placeholder: parts.map((part) => (typeof part === 'object' && 'column' in part ? '' : part)) };
}

/** A text that goes to the service as it is: placeholders of what exists are filled, others reported. */
export function readPlainText(node: ScalarNode, drafting: Drafting): string | undefined {
  const text = readText(node, drafting);
  if (text === undefined) return undefined;
  reportPlaceholders(text, drafting);
  return text.parts.filter((part) => typeof part === 'string').join('');
}

/** Reports each placeholder of a text that stands where only literal text can be sent. */
export function reportPlaceholders(text: AuthoredText, drafting: Drafting): void {
  const open = new Set(text.parts.map((part) => (typeof part === 'object' && 'ref' in part ? part.ref : '')));
  for (const { to, at } of text.edges) {
    if (!open.has(to)) continue;
    const message = `The address of ${to} is known only when applied, and this text is needed before.`;
    drafting.problems.report({ code: 'PLAN_PLACEHOLDER_PLACE', at, message });
  }
}

/** A value of any depth with its texts read; keys stay as written. Adds the edges of its placeholders. */
export function readValue(node: PlanNode, drafting: Drafting, edges: Edge[]): Json {
  switch (node.type) {
    case 'broken':
      return null;
    case 'list':
      return node.items.map((item) => readValue(item, drafting, edges));
    case 'map':
      return Object.fromEntries(
        [...node.entries.values()].map(({ key, value }) => [key, readValue(value, drafting, edges)]),
      );
    case 'scalar': {
      if (typeof node.value !== 'string') return node.value;
      const text = readText(node, drafting);
      edges.push(...(text?.edges ?? []));
      return text === undefined ? null : textValue(text);
    }
  }
}

/** The address input of something named: literal when it exists, else a placeholder. */
export function addressOf(named: { readonly id: ResourceId; readonly address?: string }): AddressInput {
  return named.address ?? { $placeholder: [{ ref: named.id }] };
}
