import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandTree } from '../../src/cli/program.js';
import { ERROR_CODES } from '../../src/model/error-codes.js';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.js';
import { inFolder, quietTerminal, windlass, windlassProcess, type Ended } from './command.js';

const LONG = 240_000;

interface Leaf {
  readonly path: string;
  readonly command: Command;
  readonly format: boolean;
  readonly stream: boolean;
}

/** Every command that does something, by its words. */
function leavesOf(command: Command, path: readonly string[] = []): readonly Leaf[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
  const choices = command.options.find(({ long }) => long === '--format')?.argChoices ?? [];
  const stream = command.options.some(({ long }) => long === '--json');
  return [{ path: path.join(' '), command, format: choices.includes('json'), stream }];
}

const leaves = leavesOf(commandTree(quietTerminal(), async () => undefined));
const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'output.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| `'));

/** The members that the page names for the document of a command. */
function describedMembers(path: string): ReadonlySet<string> {
  const named = rows.filter((row) => new RegExp(`\`${path}(?: --.*)?\``).test(row.split('|')[1] ?? ''));
  expect(named.length, `docs/output.md has a row for ${path}`).toBeGreaterThan(0);
  const cells = named.map((row) => row.split('|').slice(2).join('|'));
  return new Set([...cells.join(' ').matchAll(/`([a-zA-Z_]+)`/g)].map(([, name = '']) => name));
}

/** Arguments with which a command ends at once in an empty folder. */
const FAILING: Readonly<Record<string, readonly string[]>> = {
  resolve: ['deployment.x#1', '--absent', '--statement', 's'],
  adopt: ['deployment.x', 'address=0x0'],
  show: ['missing.json'],
  'diff-env': ['a', 'b'],
  explain: ['NO_SUCH_CODE'],
  schema: ['no-such-schema'],
  init: ['.', '--template', 'no-such-template'],
  doctor: ['--no-such-flag'],
  'platform start': ['--port', '99999'],
  'platform stop': ['--no-such-flag'],
  'platform status': ['--no-such-flag'],
  'platform reset': ['--no-such-flag'],
  'platform export': ['missing/folder/file'],
  'platform import': ['missing'],
  'platform rotate-key': [],
  'platform fault add': ['--fault', 'slow=1s'],
  'platform fault replay': ['missing'],
  'platform key create': ['n'],
  'platform key revoke': ['1'],
  'platform project create': ['n'],
  'platform wallet create': ['n'],
};

describe('every command', () => {
  it('has a form for tools, which docs/output.md describes', () => {
    expect(leaves.length).toBeGreaterThan(35);
    expect(leaves.filter(({ format, stream }) => !format && !stream).map(({ path }) => path)).toEqual([]);
    for (const { path } of leaves) describedMembers(path);
  });

  it.each(leaves.filter(({ format }) => format).map(({ path }) => path))(
    'answers a failure of `%s` with one document of code, message, advice and exit code',
    async (path) => {
      await inFolder(async (cwd) => {
        const args = [...path.split(' '), ...(FAILING[path] ?? []), '--format', 'json'];
        const ended = await windlass(args, { cwd });
        expect(ended.code).not.toBe(0);
        const { error } = JSON.parse(ended.stdout) as { error: JsonObject };
        expect(Object.keys(error)).toEqual(['code', 'message', 'advice', 'exit']);
        expect(error['exit']).toBe(ended.code);
        expect(Object.keys(ERROR_CODES)).toContain(error['code']);
      });
    },
    LONG,
  );

  it.each(leaves.filter(({ stream }) => stream).map(({ path }) => path))(
    'answers a failure of `%s --json` with lines: the version, then the error',
    async (path) => {
      await inFolder(async (cwd) => {
        for (const wrong of ['--no-such-flag', '--env=no-such-environment']) {
          if (path === 'demo' && wrong.startsWith('--env')) continue;
          const ended = await windlass([...path.split(' '), '--json', wrong], { cwd });
          expect(ended.code).toBe(3);
          const events = ended.stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as JsonObject);
          expect(events.map(({ type }) => type)).toEqual(['version', 'error']);
        }
      });
    },
    LONG,
  );

  it('lists the mistakes of a plan beside the error', async () => {
    await inFolder(async (cwd) => {
      await windlass(['init'], { cwd });
      await windlass(['init', 'other', '--template', 'audit'], { cwd });
      const { code, stdout } = await windlass(['plan', '--env', 'nowhere', '--format', 'json'], { cwd });
      expect(code).toBe(3);
      const { error, diagnostics } = JSON.parse(stdout) as { error: JsonObject; diagnostics: JsonObject[] };
      expect([error['code'], error['exit']]).toEqual(['PLAN_INVALID', 3]);
      expect(diagnostics.map(({ severity }) => severity)).toContain('error');
    });
  });
});

describe('every command that goes well', () => {
  it(
    'prints one document, whose members docs/output.md names',
    async () => {
      await inFolder(async (cwd) => {
        const told = new Set<string>();
        const tell = async (path: string, args: readonly string[] = [], code = 0): Promise<Json> => {
          told.add(path);
          const ended: Ended = await windlass([...path.split(' '), ...args, '--format', 'json'], { cwd });
          expect([path, ended.code, ended.stderr.match(/^error .*/m)?.[0]]).toEqual([path, code, undefined]);
          const document = JSON.parse(ended.stdout) as Json;
          const objects = (Array.isArray(document) ? (document as readonly Json[]) : [document]).filter(
            isJsonObject,
          );
          const free = path === 'schema' || path === 'show';
          const described = describedMembers(path);
          for (const object of free ? [] : objects)
            expect(
              Object.keys(object).filter((name) => !described.has(name)),
              path,
            ).toEqual([]);
          return document;
        };
        await tell('init');
        await tell('validate');
        await tell('plan');
        await tell('graph');
        await tell('schema', ['lock']);
        await tell('explain', ['PLAN_CYCLE']);
        await tell('platform status');
        await tell('platform start', ['--detach']);
        try {
          const status = (await tell('platform status')) as JsonObject;
          expect(status['running']).toBe(true);
          const applied = await windlass(['apply', '--yes', '--json'], { cwd });
          expect(applied.code).toBe(0);
          const events = applied.stdout.trim().split('\n');
          const described = describedMembers('apply');
          for (const line of events) {
            const { type } = JSON.parse(line) as JsonObject;
            if (type !== 'version') expect([...eventsOf(described)]).toContain(type);
          }
          await tell('status');
          await tell('show', ['windlass.local.lock.json']);
          await tell('outputs');
          await tell('lock rebuild');
          await tell('verify');
          await tell('unlock');
          await tell('diff-env', ['local', 'local']);
          await tell('attest', ['--out', 'release.json']);
          await tell('verify', ['--attestation', 'release.json']);
          await tell('platform console');
          await tell('platform key create', ['second']);
          const keys = (await tell('platform key list')) as readonly JsonObject[];
          await tell('platform key revoke', [JSON.stringify(keys.at(-1)?.['id'])]);
          await tell('platform project create', ['more']);
          await tell('platform project list');
          await tell('platform wallet create', ['more']);
          await tell('platform wallet list');
          const callbacks = (await tell('platform callbacks')) as readonly JsonObject[];
          expect(callbacks.length).toBeGreaterThan(0);
          // Nobody listens any more, which is an answer.
          await tell('platform callbacks', ['--resend', JSON.stringify(callbacks[0]?.['id'])], 7);
          await tell('platform fault add', ['--fault', 'slow=1ms', '--nth', '1']);
          await tell('plan');
          await tell('platform fault list');
          expect(((await tell('platform fault log')) as readonly Json[]).length).toBeGreaterThan(0);
          await tell('platform fault clear');
          await tell('platform fault replay', [join('.windlass', 'platform', 'faults.jsonl')]);
          await tell('platform clock');
        } finally {
          await tell('platform stop');
        }
        await tell('platform stop');
        await tell('platform export', ['all.bin']);
        await tell('platform rotate-key', ['--to', 'kek']);
        await tell('platform reset', ['--yes']);
        await tell('platform import', ['all.bin']);
        const untold = leaves.filter(({ path, format }) => format && !told.has(path)).map(({ path }) => path);
        // `doctor` asks a registry, the others need an open step or a lost lock: `doctor.test.ts`, `resolve.test.ts`.
        expect(untold).toEqual(['resolve', 'adopt', 'doctor']);
      });
    },
    LONG,
  );
});

/** Types of events that a row names. */
function eventsOf(described: ReadonlySet<string>): ReadonlySet<string> {
  const apply = rows.find((row) => row.split('|')[1]?.trim() === '`apply`') ?? '';
  return new Set([...described, ...[...apply.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name)]);
}

describe('a platform that stays in its process', () => {
  it(
    'says in one document where it is',
    async () => {
      await inFolder(async (cwd) => {
        const started = windlassProcess(['platform', 'start', '--format', 'json'], { cwd });
        for (let tries = 0; tries < 200; tries += 1) {
          const { stdout } = await windlass(['platform', 'status', '--format', 'json'], { cwd });
          if ((JSON.parse(stdout) as JsonObject)['running'] === true) break;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        await windlass(['platform', 'stop'], { cwd });
        const { code, stdout } = await started;
        expect([code, (JSON.parse(stdout) as JsonObject)['running']]).toEqual([0, true]);
      });
    },
    LONG,
  );
});
