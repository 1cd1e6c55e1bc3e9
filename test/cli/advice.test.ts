import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inFolder, windlass } from './command.js';

const PLAN = `windlass: 1
name: two-places
environments:
  live:
    base_url: https://service.invalid
    credentials: { client_id: { env: WINDLASS_VAR_NO_SUCH_ID }, client_secret: { env: WINDLASS_VAR_NO_SUCH_SECRET } }
audit:
  tags: [v1]
`;

test('what to do about a failure names commands for the environment and plan of the one that failed', async () => {
  await inFolder(async (cwd) => {
    await writeFile(join(cwd, 'release.yaml'), PLAN);
    const { code, stderr } = await windlass(['plan', 'release.yaml', '--env', 'live'], { cwd });
    expect(code).toBe(4);
    expect(stderr).toContain('`windlass doctor release.yaml --env live`');

    const events = await windlass(['plan', 'release.yaml', '--env', 'live', '--json'], { cwd });
    const last = JSON.parse(events.stdout.trim().split('\n').at(-1) ?? '') as { readonly advice: string };
    expect(last.advice).toContain('`windlass doctor release.yaml --env live`');
  });
});

test('a saved change set is not named as a plan where another one has to be made', async () => {
  await inFolder(async (cwd) => {
    await writeFile(join(cwd, 'windlass.yaml'), PLAN);
    const saved = await windlass(['plan', '--offline', '--env', 'live', '--out', 'release.json'], { cwd });
    expect(saved.code).toBe(0);
    await writeFile(join(cwd, 'windlass.yaml'), `${PLAN}\n`);
    const { code, stderr } = await windlass(['apply', 'release.json', '--yes'], { cwd });
    expect(code).toBe(5);
    expect(stderr).toContain('`windlass plan --env live --out`');
    const elsewhere = await windlass(['apply', 'release.json', '--env', 'test', '--yes'], { cwd });
    expect(elsewhere.stderr).toContain('`windlass plan --env test --out`');
  });
});
