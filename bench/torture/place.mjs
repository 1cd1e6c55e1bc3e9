import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { marked, run, signal, start, until } from './commands.mjs';
import { releaseFolder } from './release.mjs';

export async function undecidedSteps(place) {
  const { output } = await run(['status', '--format', 'json'], place);
  const { steps } = JSON.parse(output.slice(output.indexOf('{')));
  return steps.filter(({ state }) => state === 'undecided').map(({ step }) => step);
}

export async function answers(place) {
  const { output } = await run(['platform', 'status', '--format', 'json'], place);
  return /"running": true/.test(output);
}

export function newPlace() {
  return { cwd: releaseFolder(), mark: randomUUID(), started: [] };
}

/** What a story tells. `kills`: SIGKILLs by what was killed, and failpoints that were run into; `disturbed`: requests. */
export function newTale(kind, seed) {
  const kills = { cli: 0, failpoints: 0, listener: 0, platform: 0 };
  return { kind, seed, kills, disturbed: 0, undecided: 0, faults: [], log: [] };
}

/** Starts an apply that a story will disturb, and that must not outlive it. */
export function begin(place, env = {}) {
  const command = start(['apply', '--yes'], { ...place, env });
  place.started.push(command);
  return command;
}

export async function sound(place, args) {
  const ended = await run(args, place);
  expectCode(ended, [0]);
  return ended;
}

export function expectCode({ command, code, signal: by, hung, output }, codes) {
  if (codes.includes(code)) return;
  const how = hung ? 'did not end' : `ended with ${code ?? by}`;
  const lines = output.trimEnd().split('\n');
  const reasons = lines.filter((line) => /^(failed|undecided|error|skipped) /.test(line)).slice(0, 6);
  throw new Error(`${command} ${how}:\n${(reasons.length > 0 ? reasons : lines.slice(-6)).join('\n')}`);
}

export function note(tale, ended) {
  const reason = ended.code === 7 ? (/^(?:failed|error) .*/m.exec(ended.output)?.[0] ?? '') : '';
  tale.log.push(`${ended.command}: ${ended.code ?? ended.signal} ${reason}`.trimEnd());
  return ended;
}

/** A node may outlive its platform for a moment, never longer. */
export async function noneLeft(place) {
  await until(() => marked(place.mark).length === 0, 5000, 20);
  return marked(place.mark);
}

/** Stops the platform and removes the folder; answers the processes that were left all the same, which it ends. */
export async function clear(place, kept = false) {
  for (const command of place.started) {
    if (!command.isOver()) signal(command.pid, 'SIGKILL');
    await command.ended;
  }
  await run(['platform', 'stop'], place);
  const left = await noneLeft(place);
  for (const pid of left) signal(pid, 'SIGKILL');
  if (!kept) rmSync(place.cwd, { recursive: true, force: true });
  return left;
}
