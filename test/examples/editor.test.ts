import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inFolder, windlass } from '../cli/command.js';
import { startEditor, type Editor } from '../support/language-server.js';
import { planOfEveryKey } from '../support/every-key.js';
import { BROKEN, guiltyLines } from './broken-in-editors.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCHEMA = join(ROOT, 'schemas', 'plan.schema.json');
const EXAMPLES = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /(^|[/\\])windlass[\w.-]*\.ya?ml$/.test(path))
  .map((path) => join(ROOT, 'examples', path));

const uriOf = (path: string): string => pathToFileURL(path).href;

let editor: Editor;
beforeAll(async () => {
  // An editor that is told of the schema by a file address, for plans without the line that names it.
  editor = await startEditor({ schemas: { [uriOf(SCHEMA)]: ['without-a-line/*.yaml'] } });
}, 60_000);
afterAll(() => editor.close());

describe('an editor with the YAML language server and no network', () => {
  test('marks nothing in any example, and does find their schema', { timeout: 120_000 }, async () => {
    expect(EXAMPLES.length).toBeGreaterThan(3);
    for (const path of EXAMPLES) {
      const text = readFileSync(path, 'utf8');
      expect(text, path).toMatch(/^# yaml-language-server: \$schema=\.\.?\//);
      expect(await editor.open(uriOf(path), text), path).toEqual([]);
      const beside = path.replace(/\.ya?ml$/, '.broken.yaml');
      const marks = await editor.open(uriOf(beside), `${text}\nno_such_key: 1\n`);
      expect(
        marks.map(({ range }) => range.start.line),
        path,
      ).toEqual([text.split('\n').length]);
    }
  });

  test('finds the schema of a plan that `init` wrote, wherever that is', { timeout: 60_000 }, async () => {
    await inFolder(async (folder) => {
      expect((await windlass(['init', folder, '--template', 'certificates'])).code).toBe(0);
      const text = readFileSync(join(folder, 'windlass.yaml'), 'utf8');
      expect(await editor.open(uriOf(join(folder, 'windlass.yaml')), text)).toEqual([]);
      const marks = await editor.open(uriOf(join(folder, 'other.yaml')), `${text}\nno_such_key: 1\n`);
      expect(marks).toHaveLength(1);
    });
  });

  test('marks the guilty line of a broken plan, and no other', { timeout: 120_000 }, async () => {
    expect(Object.keys(BROKEN).length).toBeGreaterThanOrEqual(30);
    for (const [name, text] of Object.entries(BROKEN)) {
      const uri = uriOf(join(ROOT, 'without-a-line', `${name.replaceAll(/\W+/g, '-')}.yaml`));
      const marks = await editor.open(uri, text);
      const lines = [...new Set(marks.map(({ range }) => range.start.line + 1))].toSorted((a, b) => a - b);
      expect
        .soft(lines, `${name}: ${marks.map(({ message }) => message).join(' | ')}`)
        .toEqual(guiltyLines(text));
    }
  });

  test(
    'explains every key of the schema, with an example, where the pointer rests',
    { timeout: 240_000 },
    async () => {
      const { text, keys } = planOfEveryKey(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object);
      const uri = uriOf(join(ROOT, 'without-a-line', 'every-key.yaml'));
      await editor.open(uri, text);
      expect(keys.length).toBeGreaterThan(100);
      for (const { path, line, character, description, example } of keys) {
        // The pointer rests on a letter: at the seam before the key the server still means what stands above.
        const shown = wordsOf(await editor.hover(uri, line, character + 1));
        expect.soft(shown, path).toContain(wordsOf(description));
        expect.soft(shown, path).toContain(wordsOf(example));
      }
    },
  );
});

/** Letters and digits only: hovers are Markdown, which escapes the rest. */
function wordsOf(text: string): string {
  return text.replaceAll(/&[a-z]+;/g, '').replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
