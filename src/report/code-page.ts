import { ERROR_CODES, type CodeRow, type ErrorCode } from '../model/error-codes.js';
import type { Json } from '../model/json.js';

const WHO: Readonly<Record<CodeRow['blame'], string>> = {
  user: 'you, where the command runs',
  service: 'whoever runs the service or the network; perhaps you',
  windlass: 'the makers of Windlass; please report it',
};

/** All codes, in the order of the table: command, plan, files, state, run. */
export const ALL_CODES = Object.keys(ERROR_CODES) as readonly ErrorCode[];

/** One line for each code. */
export function codeList(): string {
  const width = Math.max(...ALL_CODES.map((code) => code.length));
  return ALL_CODES.map((code) => `${code.padEnd(width)}  ${ERROR_CODES[code].meaning}`).join('\n');
}

/** The page of a code for a terminal. */
export function codeText(code: ErrorCode): string {
  const row: CodeRow = ERROR_CODES[code];
  const lines = [
    `${code} (exit code ${row.exit})`,
    '',
    row.meaning,
    ...(row.more === undefined ? [] : [row.more]),
    '',
    `Who must act: ${WHO[row.blame]}.`,
    `What to do:   ${row.advice}`,
  ];
  if (row.example !== undefined) {
    lines.push('', 'Example:', ...row.example.split('\n').map((line) => `    ${line}`));
  }
  return lines.join('\n');
}

/** The page of a code as one document. */
export function codeJson(code: ErrorCode): Json {
  return { code, ...(ERROR_CODES[code] satisfies CodeRow) };
}

/** The page of a code as Markdown; its heading is a link target (`#plan_cycle`). */
export function codeMarkdown(code: ErrorCode): string {
  const row: CodeRow = ERROR_CODES[code];
  const lines = [
    `## ${code}`,
    '',
    row.more === undefined ? row.meaning : `${row.meaning} ${row.more}`,
    '',
    `- **Exit code:** ${row.exit}`,
    `- **Who must act:** ${WHO[row.blame]}`,
    `- **What to do:** ${row.advice}`,
  ];
  if (row.example !== undefined) {
    // An opening that is a command is set as one.
    const language = /^(?:[A-Z_]+=\S+ )?(?:windlass|git|chmod|export|cat) /.test(row.example) ? 'sh' : 'yaml';
    lines.push('', `\`\`\`${language}`, row.example, '```');
  }
  return `${lines.join('\n')}\n`;
}

/** Every page in one Markdown document, with a list of contents. */
export function codeBook(): string {
  const contents = ALL_CODES.map(
    (code) => `- [${code}](#${code.toLowerCase()}): ${ERROR_CODES[code].meaning}`,
  );
  return ['# Windlass error codes', '', ...contents, '', ...ALL_CODES.map(codeMarkdown)].join('\n');
}
