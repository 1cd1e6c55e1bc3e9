import { mkdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WindlassError } from '../model/error.js';
import { member, textMember, type Json } from '../model/json.js';
import { writeAtomically } from './atomic-file.js';
import { lifeOf, ownIdentity, THIS_MACHINE, type Machine } from './machine.js';
import { fileFailure, FOLDER_MODE, readPrivateFile, systemCode } from './private-file.js';

/** Where a folder's embedded platform runs, and the development key that it takes (design §3). */
export interface PlatformRegistration {
  /** Id of the platform's data, the same for every start until a reset. */
  readonly id: string;
  readonly api_url: string;
  readonly rpc_url: string;
  readonly console_url?: string;
  /** Process of the platform. */
  readonly pid: number;
  readonly client_id: string;
  readonly client_secret: string;
}

/** A registration as found. `stale`: its process is dead. `foreign`: another machine or container wrote it. */
export interface FoundPlatform {
  readonly registration: PlatformRegistration;
  readonly state: 'running' | 'stale' | 'foreign';
}

const KEYS = ['id', 'api_url', 'rpc_url', 'client_id', 'client_secret'] as const;

/** The file of a folder that says where its platform runs. */
export function platformFile(root: string): string {
  return join(root, '.windlass', 'platform.json');
}

/**
 * Says where the folder's platform runs; mode 0600. The process must be one of this machine.
 *
 * @throws PLATFORM_RUNNING when another one runs there; STATE_UNSAFE; STATE_WRITE
 */
export async function registerPlatform(
  root: string,
  registration: PlatformRegistration,
  machine: Machine = THIS_MACHINE,
): Promise<void> {
  const found = await findPlatform(root, machine);
  if (found?.state === 'running' && found.registration.pid !== registration.pid) {
    const { pid, api_url } = found.registration;
    throw new WindlassError(
      'PLATFORM_RUNNING',
      `Process ${pid} runs the platform of this folder at ${api_url}.`,
    );
  }
  const { host, boot } = ownIdentity(machine);
  const started = machine.startOf(registration.pid) ?? '';
  const text = JSON.stringify({ ...registration, process: { host, boot, started } }, undefined, 2);
  const path = platformFile(root);
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  await writeAtomically(path, `${text}\n`);
}

/**
 * The platform that is said to run in a folder, or undefined when none is, or when the file is not one that
 * Windlass wrote. Writes nothing.
 *
 * @throws STATE_UNSAFE, STATE_WRITE
 */
export async function findPlatform(
  root: string,
  machine: Machine = THIS_MACHINE,
): Promise<FoundPlatform | undefined> {
  const bytes = await readPrivateFile(platformFile(root));
  const value = parse(bytes);
  const pid = member(value, 'pid');
  const texts = KEYS.map((key) => [key, textMember(value, key)] as const);
  if (typeof pid !== 'number' || texts.some(([, text]) => text === undefined)) return undefined;
  const console = textMember(value, 'console_url');
  const optional = console === undefined ? {} : { console_url: console };
  const registration = { pid, ...Object.fromEntries(texts), ...optional } as PlatformRegistration;
  const known = (key: string): string => textMember(member(value, 'process'), key) ?? '';
  const identity = { pid, host: known('host'), boot: known('boot'), started: known('started') };
  const states = { alive: 'running', dead: 'stale', unknown: 'foreign' } as const;
  return { registration, state: states[lifeOf(identity, machine)] };
}

/** Takes the registration of a process away; that of another process stays. @throws STATE_UNSAFE, STATE_WRITE */
export async function unregisterPlatform(root: string, pid: number): Promise<void> {
  const path = platformFile(root);
  const bytes = await readPrivateFile(path);
  if (member(parse(bytes), 'pid') !== pid) return;
  try {
    await unlink(path);
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw fileFailure(path, thrown);
  }
}

function parse(bytes: Uint8Array | undefined): Json {
  try {
    return bytes === undefined ? null : (JSON.parse(Buffer.from(bytes).toString('utf8')) as Json);
  } catch {
    return null;
  }
}
