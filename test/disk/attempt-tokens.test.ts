import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAttemptTokens } from '../../src/disk/attempt-tokens.js';
import { digestOfBytes } from '../../src/model/canonical.js';
import { LineageState } from '../../src/state/project.js';
import { intended, started } from '../state/journal-events.js';
import { faultyDisk, systemError } from './faulty-disk.js';
import { temporaryFolder } from './temporary-folder.js';

function tokenPath(): string {
  return join(temporaryFolder(), 'env', 'tokens');
}

describe('the token of an attempt', () => {
  it('is 32 random bytes, on disk in a private file before it is given out, and found by its digest', async () => {
    const path = tokenPath();
    const tokens = await openAttemptTokens(path);
    const { token, digest } = await tokens.issue('tag.a#1');
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(digest).toBe(digestOfBytes(token));
    expect(readFileSync(path, 'utf8')).toContain(`${token}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(tokens.lookup(token)).toEqual({ step: 'tag.a#1', digest });
    await tokens.close();
  });

  it('differs for every attempt, though a thousand are made at once', async () => {
    const tokens = await openAttemptTokens(tokenPath());
    const issued = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => tokens.issue(`tag.${index}#1`)),
    );
    expect(new Set(issued.map(({ token }) => token)).size).toBe(1000);
    expect(issued.map(({ token }) => tokens.lookup(token)?.step)).toEqual(
      issued.map((_, index) => `tag.${index}#1`),
    );
    await tokens.close();
  });

  it('is still that of its attempt after a crash, as the journal says', async () => {
    const path = tokenPath();
    const first = await openAttemptTokens(path);
    const { token, digest } = await first.issue('tag.a#1');
    await first.close();
    const state = new LineageState([started(), intended('tag.a#1', { 'tag.a': {} }, { token: digest })]);
    const second = await openAttemptTokens(path, { steps: (asked) => state.stepOfToken(asked) });
    expect(second.lookup(token)).toEqual({ step: 'tag.a#1', digest });
    const { token: other } = await second.issue('tag.b#1');
    expect(other).not.toBe(token);
    await second.close();
    const third = await openAttemptTokens(path);
    expect(third.lookup(token)).toEqual({ step: undefined, digest });
    await third.close();
  });

  it('is not guessed by a shorter, longer, changed or wrongly written one', async () => {
    const tokens = await openAttemptTokens(tokenPath());
    const { token } = await tokens.issue('tag.a#1');
    const flipped = token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    const swapped = token.replace(/[a-z]/i, (letter) =>
      letter < 'a' ? letter.toLowerCase() : letter.toUpperCase(),
    );
    for (const guess of [
      '',
      token.slice(1),
      `${token}A`,
      `${token}\n`,
      flipped,
      swapped,
      ` ${token}`,
      '../../etc',
    ]) {
      expect(tokens.lookup(guess)).toBeUndefined();
    }
    await tokens.close();
  });

  it('comes from the source of randomness that was given', async () => {
    let next = 0;
    const tokens = await openAttemptTokens(tokenPath(), {
      random: (size) => new Uint8Array(size).fill((next += 1)),
    });
    const { token } = await tokens.issue('tag.a#1');
    expect(token).toBe(Buffer.alloc(32, 1).toString('base64url'));
    await tokens.close();
  });

  it('is not given out when the disk did not take it', async () => {
    const disk = faultyDisk({
      datasync: (() => {
        let calls = 0;
        return () => {
          calls += 1;
          if (calls > 1) throw systemError('EIO');
        };
      })(),
    });
    const tokens = await openAttemptTokens(tokenPath(), { disk });
    for (const step of ['tag.a#1', 'tag.b#1'] as const) {
      await expect(tokens.issue(step)).rejects.toMatchObject({ code: 'JOURNAL_WRITE' });
    }
    await tokens.close();
  });
});

describe('the file of tokens', () => {
  it('loses a torn end and keeps the rest', async () => {
    const path = tokenPath();
    const first = await openAttemptTokens(path);
    const { token } = await first.issue('tag.a#1');
    await first.close();
    const whole = readFileSync(path, 'utf8');
    appendFileSync(path, 'torn');
    const second = await openAttemptTokens(path);
    expect(second.lookup(token)).toBeDefined();
    await second.close();
    expect(readFileSync(path, 'utf8')).toBe(whole);
  });

  it('is refused when damaged or open to others', async () => {
    const path = tokenPath();
    await (await openAttemptTokens(path)).close();
    writeFileSync(path, 'not a token\n');
    await expect(openAttemptTokens(path)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    chmodSync(path, 0o604);
    await expect(openAttemptTokens(path)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
  });
});
