import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readLockfile } from '../../disk/lockfile-files.js';
import { statePaths } from '../../disk/state-paths.js';
import { ERROR_CODES, EXIT, type ExitCode } from '../../model/error-codes.js';
import { messageOf, WindlassError } from '../../model/error.js';
import type { Plan } from '../../model/plan.js';
import {
  compareAttestation,
  isBroken,
  parseStatement,
  type Present,
} from '../../report/attestation-check.js';
import { attestationJson, attestationText } from '../../report/attestation-text.js';
import { openEnvelope } from '../../report/dsse.js';
import { paletteOf } from '../../report/palette.js';
import { parseLock } from '../../state/lockfile.js';
import type { Lock } from '../../state/lock.js';
import { attestationKey } from '../attestation-key.js';
import { readCodes } from '../attested-code.js';
import { inputDescriptors, lockfileDescriptors, planDescriptor } from '../attested-files.js';
import type { EventStream } from '../event-stream.js';
import { checkPlan, findPlan, type PlanFile } from '../plan-file.js';
import { placeOf } from '../session.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** Flags of `verify --attestation`. */
export interface VerifyAttestationFlags {
  readonly attestation: string;
  readonly env?: string;
  readonly keyFile?: string;
  readonly format: 'text' | 'json';
}

/**
 * Checks an attestation: its signature, then its digests against lockfile, plan, inputs and, where a node can be asked,
 * the bytecode on the chain. Needs no credentials.
 *
 * @returns 0, or 6 when something differs
 * @throws ATTESTATION_TAMPERED, ATTESTATION_KEY
 */
export async function verifyAttestation(
  parts: { readonly terminal: Terminal; readonly stream: EventStream },
  named: string | undefined,
  flags: VerifyAttestationFlags,
): Promise<ExitCode> {
  const { terminal, stream } = parts;
  const key = await attestationKey('verify', flags.keyFile, terminal);
  const opened = openEnvelope(await readAttestation(terminal, flags.attestation), key);
  if (opened.signed && key === undefined) {
    throw new WindlassError('ATTESTATION_KEY', `${flags.attestation} is signed, and no key was given.`, {
      advice: 'Give the public key: --key-file FILE, or WINDLASS_ATTEST_PUBLIC_KEY in the environment.',
    });
  }
  const statement = parseStatement(opened.payload);
  const { environment } = statement.predicate;
  if (flags.env !== undefined && flags.env !== environment) {
    throw new WindlassError('CLI_USAGE', `The attestation is about ${environment}, not ${flags.env}.`);
  }
  const present = await presentNow(terminal, await findPlan(named, terminal), environment);
  const result = {
    environment,
    signature: opened.signed ? 'verified' : 'unsigned',
    ...(opened.signedBy !== undefined && { signedBy: opened.signedBy }),
    findings: compareAttestation(statement, present),
  } as const;
  stream.emit({ type: 'attestation', attestation: attestationJson(result) });
  if (!stream.onStdout) {
    const { colour } = terminal.out;
    const json = flags.format === 'json';
    printResult(
      terminal,
      json ? JSON.stringify(attestationJson(result), null, 2) : attestationText(result, { colour }),
    );
  }
  return result.findings.some(isBroken) ? tellMismatch(terminal) : EXIT.done;
}

function tellMismatch(terminal: Terminal): ExitCode {
  const { meaning, advice, exit } = ERROR_CODES.ATTESTATION_MISMATCH;
  const palette = paletteOf(terminal.err.colour);
  printNote(
    terminal,
    `${palette.bad('error ATTESTATION_MISMATCH')}: ${meaning}\n  ${palette.accent('fix:')} ${advice}`,
  );
  return exit;
}

async function readAttestation({ cwd }: Terminal, shown: string): Promise<string> {
  return readFile(resolve(cwd, shown), 'utf8').catch((cause: unknown) => {
    throw new WindlassError('CLI_FILE_MISSING', `${shown} cannot be read: ${messageOf(cause)}.`, { cause });
  });
}

/** What stands here now. What cannot be read is left out, and so counts as missing or unread. */
async function presentNow(terminal: Terminal, file: PlanFile, environment: string): Promise<Present> {
  const paths = statePaths(placeOf(file, { name: environment }));
  const { checked } = await checkPlan(file, environment);
  const plan: Plan | undefined = checked.ok ? checked.value : undefined;
  const lock = await lockOnDisk(paths);
  return {
    lockfiles: await lockfileDescriptors(paths),
    lock,
    plan: await planDescriptor(file),
    inputs: plan && inputDescriptors(plan),
    codes: plan && lock && (await readCodes(terminal, file, { plan, lock })),
  };
}

/** The lock that the files hold; undefined when they are missing or damaged, which their digests show. */
async function lockOnDisk(paths: Parameters<typeof readLockfile>[0]): Promise<Lock | undefined> {
  try {
    const found = await readLockfile(paths);
    return found && parseLock(found.main, found.batches);
  } catch (thrown) {
    if (thrown instanceof WindlassError && thrown.code === 'LOCK_UNREADABLE') return undefined;
    throw thrown;
  }
}
