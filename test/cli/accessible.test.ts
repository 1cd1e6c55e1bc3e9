import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watchedEnvironment } from '../support/conformance.js';
import { inFolder, MAIN, windlass } from './command.js';

const LONG = 240_000;

const ESC = '\u001b';

/** `script` of util-linux runs a command on a terminal of its own. */
const hasTerminals = String(spawnSync('script', ['--version']).stdout).includes('util-linux');

interface OnTerminal {
  readonly code: number | null;
  /** Every byte that the terminal was sent. */
  readonly screen: string;
}

/** Runs the built command line on a terminal, typing an answer to each question as it is asked. */
function onTerminal(
  args: readonly string[],
  {
    cwd,
    env,
    answers = {},
  }: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly answers?: Readonly<Record<string, string>>;
  },
): Promise<OnTerminal> {
  const quoted = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const { CI: _ci, NO_COLOR: _no, FORCE_COLOR: _force, ...own } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(
      'script',
      ['--quiet', '--return', '--echo', 'never', '--command', quoted, '/dev/null'],
      {
        cwd,
        env: { ...own, TERM: 'xterm-256color', ...watchedEnvironment(), ...env },
      },
    );
    let screen = '';
    const left = new Map(Object.entries(answers));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      screen += chunk;
      for (const [question, answer] of left) {
        if (!screen.includes(question)) continue;
        left.delete(question);
        child.stdin.write(answer);
      }
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, screen }));
  });
}

/** Control characters beside line ends and tabs, and carriage returns that no line feed follows. */
function controls(screen: string): readonly string[] {
  return [...screen.matchAll(/(?![\n\r\t])\p{Cc}|\r(?!\r?\n)/gu)].map(
    ({ 0: byte, index }) =>
      `${JSON.stringify(byte)} in ${JSON.stringify(screen.slice(Math.max(0, index - 30), index + 30))}`,
  );
}

describe.skipIf(!hasTerminals)('on a terminal', () => {
  it(
    'ACCESSIBLE=1 writes words and line ends only: changes, questions, progress, pages, failures, JSON',
    async () => {
      await inFolder(async (cwd) => {
        const env = { ACCESSIBLE: '1' };
        const commands: readonly (readonly [number, readonly string[], Readonly<Record<string, string>>?])[] =
          [
            [0, ['init']],
            [0, ['--help']],
            [3, ['plan', '--no-such-flag']],
            [0, ['plan', '--full']],
            [3, ['apply'], { 'Type yes to go on': 'no\n' }],
            [0, ['apply', '--ui'], { 'Type yes to go on': 'yes\n' }],
            [0, ['apply']],
            [0, ['verify']],
            [0, ['status']],
            [0, ['outputs']],
            [0, ['graph']],
            [0, ['show', 'windlass.local.lock.json']],
            [0, ['plan', '--format', 'json']],
            [0, ['explain', 'PLAN_CYCLE']],
            [3, ['platform', 'reset'], { 'Type yes to go on': '\x04' }],
            [0, ['platform', 'reset'], { 'Type yes to go on': 'yes\n' }],
            [0, ['apply', '--yes', '--json']],
          ];
        for (const [code, args, answers = {}] of commands) {
          const ended = await onTerminal(args, { cwd, env, answers });
          expect([args, ended.code, controls(ended.screen)]).toEqual([args, code, []]);
        }
        writeFileSync(
          join(cwd, 'windlass.yaml'),
          'windlass: 1\nname: "\\e[31mred\\a"\nvars: { x: "{{nope}}" }\nprojekts: {}\n',
        );
        const wrong = await onTerminal(['validate'], { cwd, env });
        expect([wrong.code, controls(wrong.screen)]).toEqual([3, []]);
        const forced = await onTerminal(['validate'], { cwd, env: { ...env, FORCE_COLOR: '1' } });
        expect([forced.code, controls(forced.screen)]).toEqual([3, []]);
      });
    },
    LONG,
  );

  it(
    'Ctrl-C at a question ends with 130 and says that nothing was sent, accessible or not',
    async () => {
      await inFolder(async (cwd) => {
        await windlass(['init'], { cwd });
        for (const env of [{ ACCESSIBLE: '1' }, {}]) {
          const answers = { 'Type yes to go on': '\x03' };
          const { code, screen } = await onTerminal(['apply'], { cwd, env, answers });
          expect([code, screen]).toEqual([130, expect.stringContaining('nothing was sent')]);
        }
      });
    },
    LONG,
  );

  it(
    'NO_COLOR writes no colour, TERM=dumb and CI no sequence at all, and otherwise the view is live',
    async () => {
      await inFolder(async (cwd) => {
        await windlass(['init'], { cwd });
        const plain = await onTerminal(['plan'], { cwd, env: { NO_COLOR: '1' } });
        expect(plain.screen).not.toMatch(new RegExp(`${ESC}[[][0-9;]*m`));
        const dumb = await onTerminal(['plan'], { cwd, env: { TERM: 'dumb' } });
        expect(controls(dumb.screen)).toEqual([]);
        const applied = await onTerminal(['apply', '--yes'], { cwd, env: { TERM: 'dumb' } });
        expect([applied.code, controls(applied.screen)]).toEqual([0, []]);
        await windlass(['platform', 'reset', '--yes'], { cwd });
        const live = await onTerminal(['apply', '--yes'], { cwd, env: {} });
        expect(live.screen).toContain(`${ESC}[`);
      });
    },
    LONG,
  );
});
