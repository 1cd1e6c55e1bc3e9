import { readdirSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { windlass } from '../cli/command.js';
import { FIXTURES } from '../plan/fixture.js';
import { inCopyOf, pathsBelow, STORY } from '../support/story.js';

const PLANS = readdirSync(join(FIXTURES, 'broken'));

describe('a broken plan', () => {
  it(
    'is refused with 3 before anything is touched',
    async () => {
      expect(PLANS.length).toBeGreaterThan(9);
      await inCopyOf(FIXTURES, async (cwd) => {
        for (const plan of PLANS) {
          await copyFile(join(cwd, 'broken', plan), join(cwd, 'windlass.yaml'));
          const before = await pathsBelow(cwd);
          const ended = await windlass(['apply', '--yes'], { cwd });
          expect(ended.code).toBe(3);
          expect(ended.stderr).toMatch(/^\S+:\d+:\d+: error PLAN_/);
          expect(await pathsBelow(cwd)).toEqual(before);
        }
        await rm(join(cwd, 'windlass.yaml'));
        expect((await windlass(['apply', '--yes'], { cwd })).code).toBe(3);
      });
    },
    STORY,
  );
});
