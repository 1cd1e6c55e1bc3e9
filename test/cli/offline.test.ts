import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/model/error-codes.js';
import { inFolder, windlass, windlassProcess } from './command.js';

const BROKEN = 'windlass: 1\nname: x\nwallets:\n  a: { adress: "0x00" }\nunknown: 1\n';

describe('windlass without network', () => {
  it('prints version and help to stdout and nothing else', async () => {
    const version = await windlassProcess(['--version']);
    expect(version).toMatchObject({ code: 0, stderr: '' });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = await windlassProcess(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Exit codes');
  });

  it('exits 3 with a code on stderr when the usage is wrong', async () => {
    for (const args of [
      [],
      ['aply'],
      ['validate', '--format', 'xml'],
      ['validate', 'a', 'b'],
      ['explain', 'NOPE'],
    ]) {
      const ended = await windlass(args);
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toMatch(args.length === 0 ? /Usage/ : /CLI_USAGE/);
    }
  });

  it('writes a plan folder that is valid, and never overwrites one', async () => {
    await inFolder(async (folder) => {
      const begun = await windlass(['init', 'mine'], { cwd: folder });
      expect(begun).toMatchObject({ code: 0, stdout: 'Next: cd mine && windlass plan\n' });
      const mine = join(folder, 'mine');
      expect(await readFile(join(mine, 'windlass.yaml'), 'utf8')).toContain(
        '$schema=./schemas/plan.schema.json',
      );
      expect(await readFile(join(mine, '.gitignore'), 'utf8')).toContain('.windlass/');
      expect(await windlass(['validate'], { cwd: mine })).toMatchObject({ code: 0, stdout: '' });
      await writeFile(join(mine, 'windlass.yaml'), 'kept');
      const again = await windlass(['init', 'mine'], { cwd: folder });
      expect(again.code).toBe(3);
      expect(again.stderr).toContain('INIT_NOT_EMPTY');
      expect(await readFile(join(mine, 'windlass.yaml'), 'utf8')).toBe('kept');
    });
  });

  it('writes nothing at all when one file is in the way', async () => {
    await inFolder(async (folder) => {
      await mkdir(join(folder, 'schemas'));
      await writeFile(join(folder, 'schemas/plan.schema.json'), '{}');
      expect((await windlass(['init'], { cwd: folder })).code).toBe(3);
      expect(await readdir(folder)).toEqual(['schemas']);
    });
  });

  it('shows every mistake of a plan at its place, in each format, and exits 3', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'windlass.yaml'), BROKEN);
      const text = await windlass(['validate'], { cwd });
      expect(text.code).toBe(3);
      expect(text.stdout).toMatch(/^windlass\.yaml:4:8: error PLAN_/m);
      expect(text.stdout).toMatch(/^windlass\.yaml:5:1: error PLAN_UNKNOWN_KEY/m);
      const json = await windlass(['validate', '--format', 'json'], { cwd });
      const { diagnostics } = JSON.parse(json.stdout) as {
        diagnostics: { range: { start: { line: number } } }[];
      };
      expect(diagnostics.map(({ range }) => range.start.line)).toContain(5);
      const sarif = await windlass(['validate', '--format', 'sarif'], { cwd });
      expect(JSON.parse(sarif.stdout)).toMatchObject({ version: '2.1.0' });
      const github = await windlass(['validate', '--format', 'github'], { cwd });
      expect(github.stdout).toMatch(/^::error file=windlass\.yaml,line=5/m);
      for (const ended of [json, sarif, github]) expect(ended.code).toBe(3);
    });
  });

  it('refuses to draw a plan with mistakes, on stderr', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'windlass.yaml'), BROKEN);
      const ended = await windlass(['graph'], { cwd });
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toContain('windlass.yaml:5:1');
    });
  });

  it('draws a plan in each format', async () => {
    await inFolder(async (cwd) => {
      await windlass(['init'], { cwd });
      const starts = { mermaid: 'flowchart', dot: 'digraph', svg: '<svg', json: '{' };
      for (const [format, start] of Object.entries(starts)) {
        const ended = await windlass(['graph', '--format', format], { cwd });
        expect(ended).toMatchObject({ code: 0, stderr: '' });
        expect(ended.stdout.startsWith(start)).toBe(true);
      }
    });
  });

  it('says where a plan was looked for', async () => {
    await inFolder(async (cwd) => {
      for (const args of [['validate'], ['graph', 'absent.yaml'], ['validate', '.']]) {
        const ended = await windlass(args, { cwd });
        expect(ended.code).toBe(3);
        expect(ended.stderr).toContain('CLI_FILE_MISSING');
      }
    });
  });

  it('explains every code, whatever its case', async () => {
    const all = await windlass(['explain', '--format', 'json']);
    expect(Object.keys(JSON.parse(all.stdout) as object)).toEqual(Object.keys(ERROR_CODES));
    const one = await windlass(['explain', 'plan_cycle']);
    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(one.stdout).toContain(ERROR_CODES.PLAN_CYCLE.advice);
  });

  it('shows the page of a code as text, JSON or Markdown, and all pages as one document', async () => {
    const text = await windlass(['explain', 'changeset-stale']);
    expect(text.stdout).toMatch(
      /^CHANGESET_STALE \(exit code 5\)[^]*Who must act:[^]*What to do:[^]*Example:/,
    );
    const json = await windlass(['explain', 'PLAN_CYCLE', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toEqual({ code: 'PLAN_CYCLE', ...ERROR_CODES.PLAN_CYCLE });
    const book = await windlass(['explain', '--all', '--format', 'markdown']);
    const headings = [...book.stdout.matchAll(/^## (\w+)$/gm)].map(([, code]) => code);
    expect(headings).toEqual(Object.keys(ERROR_CODES));
    const one = await windlass(['explain', 'PLAN_CYCLE', '--format', 'markdown']);
    expect(book.stdout).toContain(one.stdout.trimEnd());
  });

  it('suggests the nearest code for one that does not exist', async () => {
    const nearest = { PLAN_CYCEL: 'PLAN_CYCLE', cycles: 'PLAN_CYCLE', undecided: 'STEP_UNDECIDED' };
    for (const [written, meant] of Object.entries(nearest)) {
      const ended = await windlass(['explain', written]);
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toContain(`Did you mean ${meant}?`);
    }
    expect((await windlass(['explain', 'xyzzy'])).stderr).toContain('lists all codes');
  });

  it('prints its schemas as JSON', async () => {
    for (const name of ['plan', 'lock', 'journal', 'change-set']) {
      const ended = await windlass(['schema', name]);
      expect(JSON.parse(ended.stdout)).toHaveProperty('$schema');
    }
  });

  it('colours only when asked to', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'windlass.yaml'), BROKEN);
      const escape = String.fromCharCode(27);
      const forced = await windlassProcess(['validate'], { cwd, env: { FORCE_COLOR: '1' } });
      expect(forced.stdout).toContain(escape);
      const refused = await windlassProcess(['validate'], { cwd, env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
      expect(refused.stdout).not.toContain(escape);
      expect((await windlassProcess(['validate'], { cwd })).stdout).not.toContain(escape);
    });
  });
});
