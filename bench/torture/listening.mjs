import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { chance } from './chance.mjs';
import { signal, start, until } from './commands.mjs';
import { STATE } from './folder.mjs';
import { begin, expectCode, note, sound } from './place.mjs';

/** Longest life of a listener: that of a story. */
const LIMIT_MS = 900_000;

/** Kills `windlass listen`, while a run is active and while none is; each comes back on the same port. */
export async function killListener(place, tale, moment) {
  const chances = chance(tale.seed);
  await sound(place, ['platform', 'start', '--detach']);
  const port = await freePort();
  writePlan(place.cwd, port);
  let listener = await listen(place, port);
  for (let left = 2 + chances.whole(3); left > 0; left -= 1) {
    const apply = begin(place);
    await moment(apply, chances);
    if (apply.isOver()) {
      note(tale, await apply.ended);
      break;
    }
    const then = chances.pick(['run goes on', 'run dies first', 'run dies after']);
    if (then === 'run dies first') await kill('cli', apply, tale);
    // What the platform still has to say comes to the listener alone, and is in the spool when it dies.
    if (then === 'run dies first') await until(() => spooled(place.cwd) > 0, chances.number(3000), 5);
    tale.log.push(`listener killed, ${then}, ${spooled(place.cwd)} in the spool`);
    await kill('listener', listener, tale);
    if (then === 'run dies after') await kill('cli', apply, tale);
    listener = await listen(place, port);
    const ended = note(tale, await apply.ended);
    if (then === 'run goes on') expectCode(ended, [0, 7, 8]);
    if (ended.code === 0) break;
  }
  await answering(port, listener);
  return {
    /** Ends the listener as a person does. */
    end: async () => {
      signal(listener.pid, 'SIGTERM');
      expectCode(note(tale, await listener.ended), [0]);
      if (spooled(place.cwd) > 0) tale.faults.push(`${spooled(place.cwd)} callbacks are left in the spool`);
    },
  };
}

async function kill(what, command, tale) {
  if (command.isOver()) return;
  signal(command.pid, 'SIGKILL');
  tale.kills[what] += 1;
  await command.ended;
}

/** Starts a listener; it listens, or waits for the run that took the port from its dead forerunner. */
async function listen(place, port) {
  const listener = start(['listen'], { ...place, limitMs: LIMIT_MS });
  place.started.push(listener);
  await until(
    () => listener.isOver() || /Listening at|A run has the port/.test(listener.output()),
    60_000,
    10,
  );
  if (listener.isOver() || !/Listening at|A run has the port/.test(listener.output()))
    throw new Error(`listen on port ${port} did not begin: ${listener.output().trim()}`);
  return listener;
}

async function answering(port, listener) {
  const listens = await until(() => listener.isOver() || /Listening at/.test(listener.output()), 60_000, 10);
  const health = listens && (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined));
  if (!health?.ok) throw new Error(`the listener is not at port ${port}: ${listener.output().trim()}`);
}

/** Callbacks that wait for a run. */
function spooled(root) {
  const folder = join(root, STATE, 'spool');
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.tmp')).length : 0;
}

function writePlan(root, port) {
  const path = join(root, 'windlass.yaml');
  const callbacks = `{ url: "http://127.0.0.1:${port}", listen: "127.0.0.1:${port}" }`;
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(/^name: .*$/m, (line) => `${line}\nenvironments: { local: { callbacks: ${callbacks} } }`),
  );
}

/** A port of this machine that nobody has now. */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
