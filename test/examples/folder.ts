import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse as parseCsv } from 'csv-parse/sync';
import { parse as parseYaml } from 'yaml';

/** Folder of one example, with a slash at its end. */
export function exampleFolder(example: string): string {
  return fileURLToPath(new URL(`../../examples/${example}/`, import.meta.url));
}

/** A file of an example, as bytes. */
export function readBytes(example: string, path: string): Promise<Buffer> {
  return readFile(exampleFolder(example) + path);
}

/** The plan as plain YAML: every scalar is the text that stands there. */
export async function readPlanText<Shape>(example: string): Promise<Shape> {
  return parseYaml((await readBytes(example, 'windlass.yaml')).toString('utf8'), {
    schema: 'failsafe',
  }) as Shape;
}

/** The rows of a CSV file by column. */
export async function readRows(example: string, path: string): Promise<readonly Record<string, string>[]> {
  return parseCsv(await readBytes(example, path), { columns: true });
}

/** Paths of the files below a folder of an example. */
export async function listFiles(example: string, folder: string): Promise<readonly string[]> {
  const names = await readdir(`${exampleFolder(example)}${folder}`, { recursive: true });
  return names.filter((name) => /\.\w+$/.test(name)).map((name) => `${folder}/${name}`);
}
