import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

const src = join(import.meta.dirname, '..', 'src');
const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(src, join(entry.parentPath, entry.name)).split(sep).join('/'));

interface Room {
  readonly allowed: readonly string[];
  readonly pure: boolean;
}

/** The table of rooms as src/README.md states it. */
function readRooms(): ReadonlyMap<string, Room> {
  const cells = readFileSync(join(src, 'README.md'), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(
      (row) => row.length === 6 && /^`[a-z.]+`$/.test(row[1] ?? '') && /^(pure|door|–)$/.test(row[4] ?? ''),
    );
  return new Map(
    cells.map(([, name = '', , imports = '', kind]) => {
      const allowed = imports === '–' ? [] : imports.split(',').map((room) => room.trim());
      return [name.replaceAll('`', ''), { allowed, pure: kind === 'pure' }];
    }),
  );
}

const rooms = readRooms();

function roomOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '.';
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name);
}

function importedRoom(file: string, name: string): string {
  return roomOf(join(file, '..', name).split(sep).join('/'));
}

describe('the house', () => {
  test('has the rooms that its table names, and no other', () => {
    expect(new Set(files.map(roomOf))).toEqual(new Set(rooms.keys()));
    expect(files.length).toBeGreaterThan(100);
  });

  test('imports only as the table allows', () => {
    const trespasses = files.flatMap((file) => {
      const room = roomOf(file);
      const allowed = rooms.get(room)?.allowed ?? [];
      return importsOf(file)
        .filter((name) => name.startsWith('.'))
        .map((name) => importedRoom(file, name))
        .filter((other) => other !== room && !allowed.includes('everything') && !allowed.includes(other))
        .map((other) => `${file} imports ${other}/`);
    });
    expect(trespasses).toEqual([]);
  });

  test('keeps pure rooms from touching the world', () => {
    const world =
      /\b(Date\.now|new Date\(\)|Math\.random|setTimeout|setInterval|process\.|fetch\(|randomBytes|randomUUID)/;
    const touches = files
      .filter((file) => rooms.get(roomOf(file))?.pure === true)
      .flatMap((file) => {
        const text = readFileSync(join(src, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
        const imports = importsOf(file).filter(
          (name) =>
            name.startsWith('node:') && !['node:buffer', 'node:crypto', 'node:path/posix'].includes(name),
        );
        return [
          ...imports.map((name) => `${file} imports ${name}`),
          ...(world.test(text) ? [`${file} uses ${world.exec(text)?.[0]}`] : []),
        ];
      });
    expect(touches).toEqual([]);
  });

  test('asks ground truth nowhere outside the platform: only the command that starts it names it, and the list of variables', () => {
    const naming = files.filter((file) =>
      /truth_|__truth|truthUrl|WINDLASS_TRUTH|\btruth:/.test(readFileSync(join(src, file), 'utf8')),
    );
    const outside = naming.filter((file) => roomOf(file) !== 'platform');
    expect(outside.sort()).toEqual(['cli/commands/platform-start.ts', 'model/own-variables.ts']);
  });

  test('starts no npm, and reads nothing of its configuration', () => {
    const running = files.filter((file) => {
      const text = readFileSync(join(src, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      return /['"`](npm|npx|yarn|pnpm)(\.cmd)?['"`]|npm_config|\.npmrc/.test(text);
    });
    expect(running).toEqual([]);
  });

  test('documents every export', () => {
    const written = files.filter((file) => !file.endsWith('.artifact.ts'));
    const bare = written.flatMap((file) => {
      const lines = readFileSync(join(src, file), 'utf8').split('\n');
      return lines.flatMap((line, index) => {
        const isExport = /^export (?:async |abstract )?(?:function|class|const|interface|type) \w/.test(line);
        const above = lines[index - 1] ?? '';
        return isExport && !above.trimEnd().endsWith('*/')
          ? [`${file}:${index + 1} ${line.slice(0, 60)}`]
          : [];
      });
    });
    expect(bare).toEqual([]);
  });

  test('has no file named after a drawer', () => {
    const drawers = files.filter((file) =>
      /(^|\/)(utils?|helpers?|common|manager|types|misc|shared)\.ts$/.test(file),
    );
    expect(drawers).toEqual([]);
  });
});
