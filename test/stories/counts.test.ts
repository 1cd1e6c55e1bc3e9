import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Counts } from '../../src/model/counts.js';
import { schemaValidator } from '../state/schemas.js';
import { inFolder, windlass } from '../cli/command.js';
import { STORY } from '../support/story.js';

interface Numbers {
  readonly resources: number;
  readonly changes: number;
  readonly steps: number;
}

interface Told {
  readonly type: string;
  readonly steps: number;
  readonly changes: number;
  readonly resources: number;
  readonly changeSet: { readonly counts: Counts };
  readonly verification: { readonly counts: Record<string, number> };
}

/** The numbers of a sentence such as `43 resources: 37 to create, 6 to deploy; 43 changes in 40 steps`. */
function numbersIn(text: string): Partial<Numbers> & { readonly parts: number } {
  const [, sentence = '', listed = ''] = /(\d+ resources?(?:: ([^;.]*))?[^.]*)\./.exec(text) ?? [];
  const [, resources = ''] = /^(\d+) resources?/.exec(sentence) ?? [];
  const [, changes = '', steps = ''] = /(\d+) changes? in (\d+) steps?/.exec(sentence) ?? [];
  const parts = listed === '' ? [resources] : listed.split(', ').map((part) => part.split(' ')[0] ?? '');
  return {
    resources: Number(resources),
    changes: Number(changes),
    steps: Number(steps),
    parts: parts.reduce((sum, part) => sum + Number(part), 0),
  };
}

test(
  'one release has the same numbers in every command and every form, and they add up',
  async () => {
    await inFolder(async (cwd) => {
      const run = (...args: readonly string[]) => windlass(args, { cwd });
      await run('init', '--template', 'campus');
      const document = async (...args: readonly string[]): Promise<unknown> =>
        JSON.parse((await run(...args, '--format', 'json')).stdout);

      const { counts } = (await document('plan', '--out', 'release.json')) as { counts: Counts };
      const { resources, changes, steps } = counts;
      const whole = { resources, changes, steps, parts: resources };
      expect(schemaValidator('change-set')(await document('plan'))).toBe(true);
      expect(resources).toBe(counts.create + counts.deploy);
      expect([counts.unchanged, counts.existing]).toEqual([0, 2]);
      expect(changes).toBe(resources);
      expect(steps).toBeLessThan(changes);

      expect((await run('validate')).stderr).toContain(`valid: ${resources} resources for local`);
      for (const form of [
        ['text'],
        ['text', '--summary'],
        ['text', '--full'],
        ['markdown'],
        ['html'],
      ] as const) {
        const { stdout } = await run('plan', '--format', ...form);
        expect([form, numbersIn(stdout.replaceAll('**', ''))]).toEqual([form, whole]);
      }
      const offline = numbersIn((await run('plan', '--offline')).stdout);
      expect(offline).toEqual(whole);
      const html = (await run('plan', '--format', 'html')).stdout;
      const chips = [
        ...(/<ul class="chips">.*?<\/ul>/s.exec(html)?.[0] ?? '').matchAll(
          /<li class="chip (?:create|deploy|none)">\S+ (\d+)/g,
        ),
      ];
      expect(chips.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(changes);
      const gitlab = JSON.parse((await run('plan', '--format', 'gitlab')).stdout) as Record<string, number>;
      expect(Object.values(gitlab).reduce((sum, count) => sum + count)).toBe(changes);
      for (const form of ['text', 'markdown'])
        expect(
          numbersIn((await run('show', 'release.json', '--format', form)).stdout.replaceAll('**', '')),
        ).toEqual(whole);

      const applied = await run(
        'apply',
        'release.json',
        '--yes',
        '--json-into',
        'events.jsonl',
        '--html',
        'run.html',
      );
      expect(applied.code).toBe(0);
      expect(numbersIn(applied.stderr)).toEqual(whole);
      expect(applied.stderr).toContain(`Done. ${changes} changes in ${steps} steps took `);
      const events = (await readFile(join(cwd, 'events.jsonl'), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Told);
      const told = (type: string) => events.find((event) => event.type === type);
      expect(told('change-set')?.changeSet.counts).toEqual(counts);
      expect(told('run-planned')).toMatchObject({ steps, changes });
      expect(told('result')?.resources).toBe(resources);
      expect(events.filter(({ type }) => type === 'step-ended')).toHaveLength(steps);
      const page = await readFile(join(cwd, 'run.html'), 'utf8');
      expect(page).toContain(`${steps} of ${steps} steps confirmed, ${changes} changes made`);

      expect((await run('verify')).stdout).toContain(`${resources} of ${resources} resources match.`);
      const verified = (await document('verify')) as Told['verification'];
      expect(verified.counts).toEqual({ resources, match: resources, differ: 0, unreadable: 0 });
      expect((await run('status')).stdout).toContain(
        `${resources} resources locked, ${steps} steps confirmed.`,
      );
      expect(await document('status')).toMatchObject({ resources, confirmed: steps });
      expect((await run('show', 'windlass.local.lock.json')).stderr).toContain(`${resources} resources on`);
      expect((await run('diff-env', 'local', 'local')).stdout).toContain(`${resources} resources alike`);
      const again = await run('plan');
      expect(again.stdout).toContain(`Nothing to do: ${resources} resources unchanged.`);
      const { counts: idle } = (await document('plan')) as { counts: Counts };
      expect([idle.resources, idle.unchanged, idle.changes, idle.steps]).toEqual([
        resources,
        resources,
        0,
        0,
      ]);
    });
  },
  STORY,
);
