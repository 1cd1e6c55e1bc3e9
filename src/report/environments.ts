import { isAlike, type EnvironmentDifference } from '../diff/environments.js';
import type { FieldChange } from '../model/change.js';
import { parseCertificateId, type ResourceId } from '../model/id.js';
import type { Json } from '../model/json.js';
import { escapeMarkdown, escapeTerminal, markdownCode, shorten } from './escape.js';
import { counted, paletteOf } from './palette.js';
import { fieldText } from './value-text.js';

/** Lines of one section; the rest is counted. */
const MOST_LINES = 200;

/** A part of the comparison: a title and its lines, which are not escaped yet. */
interface Section {
  readonly title: string;
  readonly lines: readonly { readonly label: string; readonly text?: string }[];
}

/** How two environments differ, for people. */
export function environmentsText(
  found: EnvironmentDifference,
  options: { readonly colour: boolean },
): string {
  const palette = paletteOf(options.colour);
  const parts = sectionsOf(found).map(({ title, lines }) =>
    [
      palette.strong(escapeTerminal(title)),
      ...lines
        .slice(0, MOST_LINES)
        .map(({ label, text }) => `  ${escapeTerminal(text === undefined ? label : `${label}  ${text}`)}`),
      ...rest(lines.length).map((line) => `  ${line}`),
    ].join('\n'),
  );
  return [...parts, palette.strong(escapeTerminal(verdict(found)))].join('\n\n');
}

/** How two environments differ, as GitHub-flavoured Markdown. */
export function environmentsMarkdown(found: EnvironmentDifference): string {
  const [first, second] = found.environments;
  const parts = sectionsOf(found).map(({ title, lines }) =>
    [
      `#### ${escapeMarkdown(title)}`,
      '',
      ...lines
        .slice(0, MOST_LINES)
        .map(
          ({ label, text }) =>
            `- ${markdownCode(shorten(label, 120))}${text === undefined ? '' : ` ${escapeMarkdown(shorten(text, 300))}`}`,
        ),
      ...rest(lines.length).map((line) => `- ${line}`),
    ].join('\n'),
  );
  const head = `### ${escapeMarkdown(first)} and ${escapeMarkdown(second)}\n\n**${escapeMarkdown(verdict(found))}**`;
  return [head, ...parts].join('\n\n');
}

/** The document of `diff-env --format json`. `format` grows with breaking changes. */
export function environmentsJson(found: EnvironmentDifference): Json {
  return JSON.parse(JSON.stringify({ format: 1, alike: isAlike(found), difference: found })) as Json;
}

function sectionsOf(found: EnvironmentDifference): readonly Section[] {
  const [first, second] = found.environments;
  const { differing, onlyIn, unreleased, addresses } = found;
  const differences = differing.flatMap(({ id, fields }) =>
    fields.map((field) => ({ label: id, text: `${field.path}: ${fieldText(field satisfies FieldChange)}` })),
  );
  const sections: readonly Section[] = [
    { title: `Released otherwise: ${first} → ${second}`, lines: differences },
    { title: `Only in ${first}`, lines: named(onlyIn.first) },
    { title: `Only in ${second}`, lines: named(onlyIn.second) },
    { title: `In the plan, not released to ${first} yet`, lines: named(unreleased.first) },
    { title: `In the plan, not released to ${second} yet`, lines: named(unreleased.second) },
    {
      title: 'Expected: the same things live at other addresses',
      // What is in one of them only is told above.
      lines: addresses.flatMap(({ id, first: a, second: b }) =>
        a === undefined || b === undefined ? [] : [{ label: id, text: `${a} → ${b}` }],
      ),
    },
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

/** Ids, the certificates of a batch as one line. */
function named(ids: readonly ResourceId[]): Section['lines'] {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const batch = parseCertificateId(id)?.batch;
    const label = batch === undefined ? id : `certificate.${batch}`;
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, count]) =>
    count === 1 ? { label } : { label, text: counted(count, 'row') },
  );
}

function verdict(found: EnvironmentDifference): string {
  const { alike, differing, onlyIn, unreleased } = found;
  const counts = [
    counted(alike.length, 'resource alike', 'resources alike'),
    ...(differing.length > 0 ? [`${differing.length} released otherwise`] : []),
    ...(onlyIn.first.length + onlyIn.second.length > 0
      ? [`${onlyIn.first.length + onlyIn.second.length} in one only`]
      : []),
    ...(unreleased.first.length + unreleased.second.length > 0
      ? [`${unreleased.first.length + unreleased.second.length} not released yet`]
      : []),
  ];
  return `${counts.join(', ')}.`;
}

function rest(total: number): readonly string[] {
  return total > MOST_LINES ? [`… and ${total - MOST_LINES} more`] : [];
}
