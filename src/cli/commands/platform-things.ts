import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { escapeTerminal } from '../../report/escape.js';
import { SCOPES, type Scope } from '../../protocol/key.js';
import { tableText } from '../../report/table.js';
import { connectPlatform } from '../platform-client.js';
import { printDocument, tellDone, type AnswerFlags } from '../output/answer.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** Things of the platform that people list and make. */
export type Thing = 'key' | 'project' | 'wallet';

/** Flags of these commands. */
export type ThingFlags = AnswerFlags;

/** Flags of `platform key create`. */
export interface KeyFlags {
  readonly organisation?: string;
  /** Names, each with or without commas. */
  readonly scope?: readonly string[];
  /** A length of time or a date. */
  readonly expires?: string;
}

const PLACES: Readonly<Record<Thing, { readonly path: string; readonly field: string }>> = {
  key: { path: '/_platform/keys', field: 'name' },
  wallet: { path: '/_platform/wallets', field: 'name' },
  project: { path: '/_platform/projects', field: 'project_name' },
};

/** Lists keys, projects or wallets of the running platform. @throws PLATFORM_NOT_RUNNING */
export async function listThings(terminal: Terminal, thing: Thing, flags: ThingFlags): Promise<ExitCode> {
  const platform = await connectPlatform(terminal.cwd);
  printAnswer(terminal, await platform.call('GET', PLACES[thing].path), flags);
  return EXIT.done;
}

/**
 * Makes a key, project or wallet. A key is shown once; it is of the platform's first organisation unless another one is
 * named, and may read and write, for ever, unless scopes and an end are.
 *
 * @throws PLATFORM_NOT_RUNNING, REMOTE_REFUSED; CLI_USAGE for a scope that is none
 */
export async function createThing(
  terminal: Terminal,
  what: { readonly thing: Thing; readonly name: string },
  flags: ThingFlags & KeyFlags,
): Promise<ExitCode> {
  const platform = await connectPlatform(terminal.cwd);
  const { path, field } = PLACES[what.thing];
  const { organisation, expires } = flags;
  const scopes = scopesOf(flags);
  const made = await platform.call('POST', path, {
    [field]: what.name,
    ...(organisation && { organisation }),
    ...(scopes.length > 0 && { scopes }),
    ...(expires !== undefined && { expires }),
  });
  if (what.thing === 'key') printNote(terminal, 'Keep the secret: it is not shown again.');
  printAnswer(terminal, made, flags);
  return EXIT.done;
}

function scopesOf({ scope = [] }: KeyFlags): readonly Scope[] {
  const named = scope.flatMap((words) => words.split(',')).map((word) => word.trim());
  const unknown = named.filter((word) => !(SCOPES as readonly string[]).includes(word));
  if (unknown.length === 0) return SCOPES.filter((one) => named.includes(one));
  throw new WindlassError('CLI_USAGE', `${unknown.join(', ')} is no scope. There are: ${SCOPES.join(', ')}.`);
}

interface KeyItem {
  readonly id: number;
  readonly name: string;
  readonly client_id: string;
}

/**
 * Revokes a key of the running platform, by its id in the list or by its client id.
 *
 * @throws PLATFORM_NOT_RUNNING, CLI_USAGE when there is no such key, REMOTE_REFUSED for the key of this folder
 */
export async function revokeKey(terminal: Terminal, id: string, flags: ThingFlags): Promise<ExitCode> {
  const platform = await connectPlatform(terminal.cwd);
  const listed = await platform.call('GET', PLACES.key.path);
  const keys = Array.isArray(listed) ? (listed as unknown as readonly KeyItem[]) : [];
  const key = keys.find((one) => String(one.id) === id || one.client_id === id);
  if (key === undefined)
    throw new WindlassError('CLI_USAGE', `${id} is not a key: \`windlass platform key list\` shows them.`);
  await platform.call('DELETE', `${PLACES.key.path}/${String(key.id)}`);
  const revoked = { id: key.id, name: key.name, client_id: key.client_id };
  tellDone(terminal, flags, { revoked }, `The key ${key.name} is revoked.`);
  return EXIT.done;
}

/**
 * Lists the callbacks of the running platform, or sends one again, says what came of that, and ends with 7 when it was
 * not acknowledged.
 *
 * @throws PLATFORM_NOT_RUNNING, REMOTE_REFUSED
 */
export async function callbacks(
  terminal: Terminal,
  flags: ThingFlags & { readonly resend?: string },
): Promise<ExitCode> {
  const platform = await connectPlatform(terminal.cwd);
  if (flags.resend !== undefined) {
    if (!/^\d+$/.test(flags.resend))
      throw new WindlassError('CLI_USAGE', `${flags.resend} is not a callback.`);
    const answer = await platform.call('POST', `/_platform/callbacks/${flags.resend}/resend`, {});
    const resent = answer as unknown as Resent;
    if (flags.format === 'json') printDocument(terminal, answer);
    else printResult(terminal, resentText(resent));
    return resent.state === 'delivered' ? EXIT.done : EXIT.incomplete;
  }
  printAnswer(terminal, await platform.call('GET', '/_platform/callbacks'), flags);
  return EXIT.done;
}

/** What the platform tells of a callback that was sent again. */
interface Resent {
  readonly id: number;
  readonly about: string;
  readonly origin: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_result: string;
  readonly last_at: string | null;
  readonly due_at: string | null;
  /** Whether it was posted while the command waited. */
  readonly sent: boolean;
}

function resentText(resent: Resent): string {
  const { id, about, origin, state, attempts, last_result: answer, last_at: at, due_at: due, sent } = resent;
  const next = due === null ? 'It does not go out again by itself.' : `It goes out again at ${due}.`;
  const which = escapeTerminal(`Callback ${id} (${about})`);
  if (!sent) return `${which} was not sent yet: ${answer === '' ? 'its turn did not come' : answer}. ${next}`;
  const what = `${which} was sent to ${origin} at ${at ?? 'an unknown time'}, sending ${attempts}`;
  return state === 'delivered'
    ? `${what}, and acknowledged with ${answer}.`
    : `${what}, but not acknowledged: ${answer}. ${next}`;
}

function printAnswer(terminal: Terminal, answer: Json, flags: ThingFlags): void {
  if (flags.format === 'json') return printDocument(terminal, answer);
  const rows = (Array.isArray(answer) ? (answer as readonly Json[]) : [answer]).filter(isJsonObject);
  if (rows.length === 0) return printNote(terminal, 'None.');
  printResult(terminal, tableText(rows.map(shownRow)));
}

/** A row with its lists in one cell each; scopes are the only ones. */
function shownRow(row: JsonObject): JsonObject {
  const cells = Object.entries(row).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : value,
  ]);
  return Object.fromEntries(cells) as JsonObject;
}
