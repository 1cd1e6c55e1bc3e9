import { parseBoundedJson } from '../../model/bounded-json.js';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { isJsonObject, member, type Json } from '../../model/json.js';
import { addressTable } from '../../report/outputs.js';
import { counted } from '../../report/palette.js';
import { looksLikeSavedChangeSet, parseSavedChangeSet } from '../../report/saved-change-set.js';
import { commandLine } from '../../report/shell-word.js';
import { UNNAMED } from '../../state/lockfile-fault.js';
import { parseLockfileHead } from '../../state/lockfile.js';
import { changeSetForm, materialFor, type ChangeSetForm } from '../change-set-forms.js';
import type { DensityFlags } from '../selection-flags.js';
import { savedMaterial } from '../saved-material.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** Flags of `show`. */
export interface ShowFlags extends DensityFlags {
  readonly format: ChangeSetForm;
}

/** Shows a saved change set or a lockfile, however old. @throws CLI_FILE_MISSING, CHANGESET_TAMPERED, LOCK_UNREADABLE */
export async function show(terminal: Terminal, named: string, flags: ShowFlags): Promise<ExitCode> {
  const text = await readFile(resolve(terminal.cwd, named), 'utf8').catch(() => {
    throw new WindlassError('CLI_FILE_MISSING', `${named} cannot be read.`);
  });
  const value = parseJson(text);
  if (looksLikeSavedChangeSet(text)) await showChangeSet(terminal, named, text, flags);
  else if (isLockfile(named, value)) {
    showLockfile(terminal, named, text, flags);
  } else {
    throw new WindlassError('CLI_USAGE', `${named} is neither a saved change set nor a lockfile.`);
  }
  return EXIT.done;
}

async function showChangeSet(
  terminal: Terminal,
  named: string,
  text: string,
  flags: ShowFlags,
): Promise<void> {
  const saved = parseSavedChangeSet(text);
  printNote(terminal, 'A saved change set, as it was when it was made.');
  const { lineage, serial, engine, files, target } = saved;
  const origin = {
    engine,
    files,
    serial,
    ...(target && { target: [target.origin, target.chain].join(' ').trim() }),
    ...(lineage !== null && { lineage }),
  };
  const next = commandLine(['windlass', 'apply', named]);
  const asked = materialFor(flags);
  const beside = asked === 'nothing' ? {} : await savedMaterial(named, saved, terminal, asked);
  const material = { ...beside, origin };
  printResult(terminal, changeSetForm(saved.changeSet, { terminal, flags, next, material }));
}

/** A lockfile by what it holds, or by its name, so that a damaged one is told as one. */
function isLockfile(named: string, value: Json): boolean {
  return (isJsonObject(value) && member(value, 'resources') !== undefined) || named.endsWith('.lock.json');
}

function showLockfile(terminal: Terminal, named: string, text: string, flags: ShowFlags): void {
  const head = parseLockfileHead(text, { ...UNNAMED, main: named });
  if (flags.format !== 'text') {
    if (flags.format !== 'json') {
      throw new WindlassError('CLI_USAGE', 'A lockfile is shown as text or JSON.');
    }
    return printResult(terminal, text.trimEnd());
  }
  const addresses = [...head.entries.values()].flatMap(({ id, outputs }) =>
    outputs.address === undefined ? [] : [[id, outputs.address] as const],
  );
  const batches = [...head.batches].map(
    ([name, { rows }]) => `  certificate.${name}: ${counted(rows, 'row')}`,
  );
  const rows = [...head.batches.values()].reduce((sum, batch) => sum + batch.rows, 0);
  printNote(
    terminal,
    `${counted(head.entries.size + rows, 'resource')} on ${head.target.origin}, serial ${head.serial}.`,
  );
  printResult(
    terminal,
    [addressTable(new Map(addresses)), ...batches].filter((line) => line !== '').join('\n'),
  );
}

function parseJson(text: string): Json {
  try {
    return parseBoundedJson(text);
  } catch {
    return null;
  }
}
