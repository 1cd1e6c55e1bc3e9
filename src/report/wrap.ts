import { cellsOf } from './width.js';

/** Text broken between words so that no line is wider, but for words that are; each line begins with the indent. */
export function wrapped(text: string, columns: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && cellsOf(indent) + cellsOf(longer) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].map((text) => `${indent}${text}`).join('\n');
}
