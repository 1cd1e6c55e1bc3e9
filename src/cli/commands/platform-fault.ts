import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { isJsonObject, member, type Json, type JsonObject } from '../../model/json.js';
import { tableText } from '../../report/table.js';
import { checkedRules, readFaultFile } from '../fault-file.js';
import { connectPlatform } from '../platform-client.js';
import { printDocument, tellDone, type AnswerFlags } from '../output/answer.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** `--format` of these commands. */
export type FaultFlags = AnswerFlags;

/** One rule in flags. */
export interface RuleFlags extends FaultFlags {
  readonly fault?: string;
  readonly name?: string;
  readonly operation?: string;
  readonly method?: string;
  readonly path?: string;
  readonly marker?: string;
  readonly callback?: string | true;
  readonly attempt?: string;
  readonly organisation?: string;
  readonly project?: string;
  readonly nth?: string;
  readonly every?: string;
  readonly chance?: string;
  readonly first?: string;
  readonly after?: string;
  readonly seed?: string;
}

/**
 * Puts the rules of a file in force, or one rule from flags, on the running platform.
 *
 * @throws PLATFORM_NOT_RUNNING, PLATFORM_FAULTS, REMOTE_REFUSED, CLI_FILE_MISSING, CLI_USAGE
 */
export async function addFaults(
  terminal: Terminal,
  file: string | undefined,
  flags: RuleFlags,
): Promise<ExitCode> {
  if ((file === undefined) === (flags.fault === undefined))
    throw new WindlassError('CLI_USAGE', 'Name a file of rules, or say a rule with --fault.');
  const document = file === undefined ? ruleOf(flags) : rulesOf(terminal, file, flags.seed);
  const platform = await connectPlatform(terminal.cwd);
  return printRules(terminal, await platform.call('POST', '/_platform/faults', document), flags);
}

/** Lists the rules in force, and how often each was matched and fired. @throws PLATFORM_NOT_RUNNING */
export async function listFaults(terminal: Terminal, flags: FaultFlags): Promise<ExitCode> {
  const platform = await connectPlatform(terminal.cwd);
  return printRules(terminal, await platform.call('GET', '/_platform/faults'), flags);
}

/** Takes one rule, or all, out of force. @throws PLATFORM_NOT_RUNNING, REMOTE_REFUSED when there is none of the name */
export async function clearFaults(
  terminal: Terminal,
  name: string | undefined,
  flags: FaultFlags,
): Promise<ExitCode> {
  const platform = await connectPlatform(terminal.cwd);
  const place = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  await platform.call('DELETE', `/_platform/faults${place}`);
  tellDone(
    terminal,
    flags,
    { cleared: name ?? 'all' },
    name === undefined ? 'No fault is in force.' : `The rule ${name} is no longer in force.`,
  );
  return EXIT.done;
}

/** Prints what was decided since the first rule, oldest first. @throws PLATFORM_NOT_RUNNING */
export async function faultLog(terminal: Terminal, flags: FaultFlags): Promise<ExitCode> {
  const platform = await connectPlatform(terminal.cwd);
  const decisions = await platform.call('GET', '/_platform/faults/log');
  if (flags.format === 'json') printDocument(terminal, decisions);
  else printRows(terminal, decisions, decisionRow);
  return EXIT.done;
}

/** Makes the decisions of a log again, in place of what is in force. @throws PLATFORM_NOT_RUNNING, PLATFORM_FAULTS, CLI_FILE_MISSING */
export async function replayFaults(terminal: Terminal, file: string, flags: FaultFlags): Promise<ExitCode> {
  const read = readFaultFile(terminal.cwd, file);
  if (read.type !== 'log') throw new WindlassError('PLATFORM_FAULTS', `${file} is no log of decisions.`);
  const platform = await connectPlatform(terminal.cwd);
  await platform.call('POST', '/_platform/faults/replay', { decisions: read.lines });
  tellDone(
    terminal,
    flags,
    { replayed: read.lines.length },
    `${String(read.lines.length)} decisions are made again, by operation and number.`,
  );
  return EXIT.done;
}

function rulesOf(terminal: Terminal, file: string, seed: string | undefined): JsonObject {
  const read = readFaultFile(terminal.cwd, file, seed);
  if (read.type === 'rules') return read.document;
  throw new WindlassError(
    'PLATFORM_FAULTS',
    `${file} is a log: \`windlass platform fault replay\` takes it.`,
  );
}

function ruleOf(flags: RuleFlags): JsonObject {
  const { name, fault, seed, callback, operation, method, path, marker, organisation, project } = flags;
  const scope = given({ organisation, project });
  const attempt =
    flags.attempt === undefined || flags.attempt === 'any'
      ? flags.attempt
      : flags.attempt.split(',').map(valueOf);
  const match: JsonObject =
    callback === undefined
      ? { request: { ...given({ operation, method, path, marker, attempt }), ...scope } }
      : { callback: { ...(callback !== true && { of: callback }), ...given({ attempt }), ...scope } };
  const { nth, every, chance, first, after } = flags;
  const when = given({ nth: nth?.split(',').map(valueOf), every, chance, first, after });
  const [kind = '', ...rest] = (fault ?? '').split('=');
  const said: Json = rest.length === 0 ? kind : { [kind]: valueOf(rest.join('=')) };
  return checkedRules({
    windlass_faults: 1,
    ...given({ seed }),
    rules: [{ ...(name !== undefined && { name }), ...match, when, fault: said }],
  });
}

/** The members that were given; digits count as numbers. */
function given(members: Readonly<Record<string, string | readonly Json[] | undefined>>): JsonObject {
  const texts = new Set(['organisation', 'project', 'operation', 'method', 'path', 'marker']);
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const isText = typeof value !== 'string' || texts.has(name);
      return [[name, isText ? value : valueOf(value)] as const];
    }),
  );
}

function valueOf(text: string): Json {
  return /^\d{1,10}(\.\d{1,9})?$/.test(text) ? Number(text) : text;
}

function printRules(terminal: Terminal, state: Json, flags: FaultFlags): ExitCode {
  if (flags.format === 'json') {
    printDocument(terminal, state);
    return EXIT.done;
  }
  if (member(state, 'replaying') === true) printNote(terminal, 'A log is replayed.');
  const seed = member(state, 'seed');
  if (typeof seed === 'number') printNote(terminal, `seed ${String(seed)}`);
  printRows(terminal, member(state, 'rules'), ruleRow);
  return EXIT.done;
}

function printRows(
  terminal: Terminal,
  list: Json | undefined,
  rowOf: (item: JsonObject) => JsonObject,
): void {
  const rows = (Array.isArray(list) ? (list as readonly Json[]) : []).filter(isJsonObject).map(rowOf);
  if (rows.length === 0) return printNote(terminal, 'None.');
  printResult(terminal, tableText(rows));
}

function ruleRow({
  name = null,
  request,
  callback,
  when,
  fault,
  matched = 0,
  fired = 0,
}: JsonObject): JsonObject {
  const about = request === undefined ? `callback ${wordsOf(callback)}` : `request ${wordsOf(request)}`;
  return { name, about: about.trim(), when: wordsOf(when), fault: faultWords(fault), matched, fired };
}

function decisionRow({ seq = 0, at = '', stream = '', nth = 0, rule = '', fault }: JsonObject): JsonObject {
  return { seq, at, stream, nth, rule, fault: fault === null ? 'spared' : faultWords(fault) };
}

/** `slow by=200ms before=false`. */
function faultWords(fault: Json | undefined): string {
  const [[kind, members] = ['', null]] = Object.entries(isJsonObject(fault) ? fault : {});
  return `${kind} ${wordsOf(members)}`.trim();
}

function wordsOf(members: Json | undefined): string {
  const entries = Object.entries(isJsonObject(members) ? members : {});
  return entries.map(([name, value]) => `${name}=${wordOf(value)}`).join(' ');
}

function wordOf(value: Json): string {
  if (Array.isArray(value)) return (value as readonly Json[]).map(wordOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
