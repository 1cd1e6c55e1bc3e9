import { allTables } from './store.js';

/** An archive that is none, is cut short, or was changed. */
export class ArchiveBroken extends Error {
  constructor(reason: string) {
    super(`the archive cannot be used: ${reason}`);
    this.name = 'ArchiveBroken';
  }
}

const TABLE = /^\s*CREATE TABLE IF NOT EXISTS (\w+) \(([\s\S]*)\)\s*$/;

function definitions(): readonly (readonly [name: string, columns: string])[] {
  return allTables()
    .flatMap(({ statements }) => statements)
    .flatMap((statement) => {
      const match = TABLE.exec(statement);
      return match?.[1] === undefined ? [] : [[match[1], match[2] ?? ''] as const];
    });
}

/** The columns of a table as its definition has them, text. @throws ArchiveBroken on a table that is none of ours */
export function definitionOf(table: string): string {
  const found = definitions().find(([name]) => name === table);
  if (!found) throw new ArchiveBroken(`it has a table ${table}, which this release does not know`);
  return found[1];
}

/** Every table, each after those that it refers to. */
export function tableNames(): readonly string[] {
  return definitions().map(([name]) => name);
}

/** Names of a table's columns, in order. @throws ArchiveBroken */
export function columnsOf(table: string): readonly string[] {
  return definitionOf(table)
    .replace(/\([^()]*\)/g, '')
    .split(',')
    .map((part) => part.trim().split(/\s+/)[0] ?? '')
    .filter((word) => word !== '' && !/^(PRIMARY|FOREIGN|UNIQUE|CHECK)$/.test(word));
}
