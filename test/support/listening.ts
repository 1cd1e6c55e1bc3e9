import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Processes of this machine, by their parents (Linux). */
function parents(): ReadonlyMap<number, number> {
  const pairs = readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [, parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [[Number(name), Number(parent)] as const];
    } catch {
      return [];
    }
  });
  return new Map(pairs.filter(([pid]) => Number.isInteger(pid)));
}

/** A process and all that it has started, and they (Linux). */
function family(pid: number): readonly number[] {
  const all = [...parents()];
  const found = [pid];
  for (const one of found) found.push(...all.filter(([, parent]) => parent === one).map(([child]) => child));
  return found;
}

/** TCP ports on which a process or one of its descendants listens, whatever the address (Linux). */
export function portsOf(pid: number): readonly number[] {
  const open = new Set(family(pid).flatMap(socketsOf));
  const lines = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n'));
  const ports = lines.flatMap((line) => {
    const [, , local = '', , state, , , , , , inode = ''] = line.split(/\s+/);
    return state === '0A' && open.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
  return [...new Set(ports)];
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${String(pid)}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${String(pid)}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
