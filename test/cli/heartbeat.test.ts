import { expect, test } from 'vitest';
import { withHeartbeat } from '../../src/cli/heartbeat.js';
import type { Terminal } from '../../src/cli/terminal.js';

test('long work says that it goes on, and is silent once it ended', async () => {
  const lines: string[] = [];
  const terminal = { err: { write: (text: string) => lines.push(text) } } as unknown as Terminal;
  let finish: (value: number) => void = () => undefined;
  const work = new Promise<number>((resolve) => (finish = resolve));
  const waiting = withHeartbeat(terminal, 'Reading', work, 5);
  await expect.poll(() => lines.length).toBeGreaterThan(1);
  finish(7);
  expect(await waiting).toBe(7);
  const said = lines.length;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(lines).toHaveLength(said);
  expect(lines[0]).toMatch(/^Reading, \S+ s so far\.\n$/);
});
