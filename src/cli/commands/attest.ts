import { resolve } from 'node:path';
import { writeAtomically } from '../../disk/atomic-file.js';
import { openState } from '../../disk/state-folder.js';
import { preview } from '../../engine.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import type { Plan } from '../../model/plan.js';
import { statementOf, type AttestationParts, type Statement } from '../../report/attestation.js';
import { UNSETTLED_WORDS } from '../../report/change-set-text.js';
import { keyIdOf, sealEnvelope } from '../../report/dsse.js';
import { counted } from '../../report/palette.js';
import { attestationKey } from '../attestation-key.js';
import { readCodes } from '../attested-code.js';
import { inputDescriptors, lockfileDescriptors, planDescriptor } from '../attested-files.js';
import { checkPlan, findPlan, type PlanFile } from '../plan-file.js';
import { PlanMistakes } from '../plan-mistakes.js';
import { abilitiesOf, pinnedPlan, placeOf } from '../session.js';
import { tellDone, type AnswerFlags } from '../output/answer.js';
import { printNote, printResult, type Terminal } from '../terminal.js';
import { packageVersion } from '../version.js';

/** Flags of `attest`. */
export interface AttestFlags extends AnswerFlags {
  readonly env?: string;
  readonly out?: string;
  readonly keyFile?: string;
}

/** States what was released, from what and with which proof: an in-toto statement, signed when there is a key. */
export async function attest(
  terminal: Terminal,
  named: string | undefined,
  flags: AttestFlags,
): Promise<ExitCode> {
  const key = await attestationKey('sign', flags.keyFile, terminal);
  const statement = await stateRelease(terminal, await findPlan(named, terminal), flags.env);
  const text = JSON.stringify(statement, null, 2);
  const document = key === undefined ? text : JSON.stringify(sealEnvelope(text, key), null, 2);
  if (flags.out === undefined) printResult(terminal, document);
  else {
    await writeAtomically(resolve(terminal.cwd, flags.out), `${document}\n`, 0o644);
    const { subject, predicate } = statement;
    const signed = key === undefined ? 'not signed' : `signed with the key ${keyIdOf(key)}`;
    const made = {
      file: resolve(terminal.cwd, flags.out),
      subjects: subject.length,
      inputs: predicate.inputs.length + 1,
      key: key === undefined ? null : keyIdOf(key),
    };
    tellDone(
      terminal,
      flags,
      made,
      `Attested ${counted(subject.length, 'subject')} from ${counted(predicate.inputs.length + 1, 'input')} in ${flags.out}, ${signed}.`,
    );
  }
  return EXIT.done;
}

async function stateRelease(
  terminal: Terminal,
  file: PlanFile,
  environment: string | undefined,
): Promise<Statement> {
  const { checked, sources } = await checkPlan(file, environment);
  if (!checked.ok) throw new PlanMistakes(checked.diagnostics, sources);
  const plan = { ...checked.value, file: file.name };
  const { lock, runs, lockfiles } = await finishedRelease(file, plan);
  const codes = await readCodes(terminal, file, { plan, lock });
  if (codes === undefined) {
    printNote(terminal, `No rpc_url in ${plan.environment.name}: the bytecode on the chain is not attested.`);
  }
  const gone = codes?.find(({ code }) => code === 'absent');
  if (gone !== undefined) {
    throw new WindlassError('ATTESTATION_MISMATCH', `${gone.id} has no code at ${gone.address}.`);
  }
  const written = await planDescriptor(file);
  if (written?.digest.sha256 !== plan.digest.slice('sha256:'.length)) {
    throw new WindlassError('FILE_CHANGED', `${file.shown} was edited while it was read.`);
  }
  return statementOf({
    engineVersion: packageVersion(),
    environment: plan.environment.name,
    plan: written,
    inputs: inputDescriptors(plan),
    lockfiles,
    lock,
    runs,
    codes: codes ?? [],
  });
}

type Release = Pick<AttestationParts, 'lock' | 'lockfiles' | 'runs'>;

/** The lock of a release that is done. @throws ATTESTATION_UNFINISHED when the plan or its files say anything else */
async function finishedRelease(file: PlanFile, plan: Plan): Promise<Release> {
  const folder = await openState(placeOf(file, plan.environment));
  const { lock, state } = folder;
  if (lock === undefined || lock.entries.size === 0) {
    throw new WindlassError(
      'ATTESTATION_UNFINISHED',
      `Nothing was released to ${plan.environment.name} from here.`,
    );
  }
  const changeSet = await preview({
    plan: await pinnedPlan(plan, file, 'offline'),
    state,
    abilities: abilitiesOf(plan.environment),
    service: undefined,
    strangers: folder.strangers,
  });
  const [unsettled] = changeSet.unsettled ?? [];
  if (unsettled !== undefined) {
    throw new WindlassError(
      'ATTESTATION_UNFINISHED',
      `${unsettled.step} is not settled: ${UNSETTLED_WORDS[unsettled.state]}.`,
      { advice: 'Settle it first: see `windlass status`.' },
    );
  }
  const open = changeSet.changes.find(({ action }) => action !== 'none');
  if (open !== undefined || changeSet.steps.length > 0) {
    const what =
      open === undefined ? 'A step is open' : `${open.id} is not as the plan says (${open.action})`;
    throw new WindlassError('ATTESTATION_UNFINISHED', `${what}.`);
  }
  const lockfiles = await lockfileDescriptors(folder.paths);
  if (folder.notices.length > 0 && folder.origin === 'journal') {
    throw new WindlassError('ATTESTATION_UNFINISHED', 'The lockfile is not what the journal says.');
  }
  return { lock, lockfiles, runs: state.runs };
}
