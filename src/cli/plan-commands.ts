import type { Command } from 'commander';
import type { AttestFlags } from './commands/attest.js';
import type { ApplyFlags } from './commands/apply.js';
import type { DiffEnvFlags } from './commands/diff-env.js';
import type { GraphFlags } from './commands/graph.js';
import type { LockRebuildFlags } from './commands/lock-rebuild.js';
import type { OutputsFormat } from './commands/outputs.js';
import type { PlanFlags } from './commands/plan.js';
import type { ShowFlags } from './commands/show.js';
import type { UnlockFlags } from './commands/unlock.js';
import type { ValidateFlags } from './commands/validate.js';
import type { VerifyFlags } from './commands/verify.js';
import {
  acceptKey,
  answer,
  densities,
  environment,
  format,
  lockTimeout,
  selection,
  shareWith,
  streams,
} from './options.js';
import type { Register } from './program.js';
import type { Terminal } from './terminal.js';

const PLAN = 'plan file, or the folder of a windlass.yaml (default: windlass.yaml)';

/** Adds the commands that carry a plan from text to lockfile. */
export function addPlanCommands(program: Command, terminal: Terminal, register: Register): void {
  program
    .command('validate')
    .summary('check a plan offline')
    .description(
      'Checks a plan without network or credentials. All mistakes come at once, each at its line and column.',
    )
    .argument('[plan]', PLAN)
    .addOption(environment())
    .addOption(format(['text', 'json', 'sarif', 'github', 'gitlab']))
    .action((plan: string | undefined, flags: ValidateFlags) =>
      register(async () => (await import('./commands/validate.js')).validate(terminal, plan, flags)),
    );
  const plan = program
    .command('plan')
    .summary('show what would change')
    .description('Reads the platform and prints the change set. Writes nothing remote.')
    .argument('[plan]', PLAN)
    .addOption(environment())
    .addOption(format(['text', 'json', 'markdown', 'html', 'gitlab']))
    .option('--out <file>', 'save the change set, to be applied as it is')
    .option(
      '--markdown-into <file>',
      'write the comment of a pull request into a file, beside what is printed',
    )
    .option('--offline', 'ask nobody: compare with the lockfile only')
    .option('--detailed-exitcode', 'exit with 2 when there are changes')
    .addOption(acceptKey());
  for (const option of [...selection(), ...densities(), ...streams()]) plan.addOption(option);
  plan.action((named: string | undefined, flags: PlanFlags) =>
    register(async () => (await import('./commands/plan.js')).plan(terminal, named, flags)),
  );
  addApply(program, terminal, register);
  addVerify(program, terminal, register);
  program
    .command('attest')
    .summary('state what was released, from what, and with which proof')
    .description(
      'Writes an in-toto statement about a finished release: lockfile, bytecode, plan and inputs by digest, transactions, evidence. Signs it when there is a key.',
    )
    .argument('[plan]', PLAN)
    .addOption(environment())
    .option('--out <file>', 'write it to a file instead of stdout')
    .addOption(answer())
    .option('--key-file <file>', 'private key to sign with (PEM, Ed25519); or WINDLASS_ATTEST_KEY')
    .action((named: string | undefined, flags: AttestFlags) =>
      register(async () => (await import('./commands/attest.js')).attest(terminal, named, flags)),
    );
}

function addDiffEnv(program: Command, terminal: Terminal, register: Register): void {
  program
    .command('diff-env')
    .summary('compare what was released to two environments')
    .description(
      'Compares what was released to two environments of a plan: inputs, digests, bytecode. Addresses are expected to differ and listed apart.',
    )
    .argument('<first>', 'environment, e.g. test')
    .argument('<second>', 'environment, e.g. production')
    .argument('[plan]', PLAN)
    .addOption(format(['text', 'json', 'markdown']))
    .option('--detailed-exitcode', 'exit with 2 when something differs')
    .action((first: string, second: string, plan: string | undefined, flags: DiffEnvFlags) =>
      register(async () =>
        (await import('./commands/diff-env.js')).diffEnv(terminal, { first, second, plan }, flags),
      ),
    );
}

/** Adds the commands that answer questions about a plan and its results. */
export function addQuestionCommands(program: Command, terminal: Terminal, register: Register): void {
  program
    .command('status')
    .summary('show the last run and its open steps')
    .description('Shows the last run and what it left open, from the files beside the plan.')
    .argument('[plan]', PLAN)
    .addOption(environment())
    .addOption(format(['text', 'json', 'html']))
    .action(
      (
        plan: string | undefined,
        flags: { readonly env?: string; readonly format: 'text' | 'json' | 'html' },
      ) => register(async () => (await import('./commands/status.js')).status(terminal, plan, flags)),
    );
  const show = program
    .command('show')
    .summary('show a saved change set or a lockfile')
    .description('Shows a saved change set or a lockfile, however old.')
    .argument('<file>', 'what `plan --out` wrote, or a lockfile')
    .addOption(format(['text', 'json', 'markdown', 'html', 'gitlab']));
  for (const option of densities()) show.addOption(option);
  show.action((file: string, flags: ShowFlags) =>
    register(async () => (await import('./commands/show.js')).show(terminal, file, flags)),
  );
  program
    .command('outputs')
    .summary('print addresses for the next tool')
    .description('Prints the locked addresses as JSON, as lines for a shell, or as a TypeScript module.')
    .argument('[plan]', PLAN)
    .addOption(environment())
    .addOption(format(['json', 'env', 'ts']))
    .action((plan: string | undefined, flags: { readonly env?: string; readonly format: OutputsFormat }) =>
      register(async () => (await import('./commands/outputs.js')).outputs(terminal, plan, flags)),
    );
  addDiffEnv(program, terminal, register);
  program
    .command('graph')
    .summary('print the dependency graph')
    .description('Prints the dependency graph of a plan; a batch of certificates is one node.')
    .argument('[plan]', PLAN)
    .addOption(environment())
    .addOption(format(['mermaid', 'dot', 'svg', 'json']))
    .action((plan: string | undefined, flags: GraphFlags) =>
      register(async () => (await import('./commands/graph.js')).graph(terminal, plan, flags)),
    );
  addLock(program, terminal, register);
  program
    .command('unlock')
    .summary("free a dead run's lock")
    .description('Frees the lock of a run that died on another machine. A run that lives keeps it.')
    .argument('[plan]', PLAN)
    .addOption(environment())
    .option('--yes', 'do not ask')
    .addOption(answer())
    .action((plan: string | undefined, flags: UnlockFlags) =>
      register(async () => (await import('./commands/unlock.js')).unlock(terminal, plan, flags)),
    );
}

function addLock(program: Command, terminal: Terminal, register: Register): void {
  program
    .command('lock')
    .summary('the lockfile on its own')
    .description('The lockfile beside a plan: a projection of the journal.')
    .command('rebuild')
    .description('Writes the lockfile anew from the journal, e.g. when it is damaged or half merged.')
    .argument('[plan]', PLAN)
    .addOption(environment())
    .option('--forget', 'what only the lockfile names may go')
    .addOption(answer())
    .action((plan: string | undefined, flags: LockRebuildFlags) =>
      register(async () => (await import('./commands/lock-rebuild.js')).rebuildLock(terminal, plan, flags)),
    );
}

function addApply(program: Command, terminal: Terminal, register: Register): void {
  const apply = program
    .command('apply')
    .summary('make it so')
    .description('Executes a plan, or a saved change set exactly. Resumes whatever an earlier run left open.')
    .argument('[plan]', `${PLAN}, or what \`plan --out\` wrote`)
    .addOption(environment())
    .option('--yes', 'do not ask')
    .option('--confirm <name>', 'name of the environment, for protected ones')
    .option('--plan <path>', 'where the plan of a saved change set is by now')
    .option('--fail-fast', 'begin nothing more after the first failed step')
    .addOption(lockTimeout())
    .addOption(acceptKey())
    .addOption(shareWith())
    .option('--ui', 'serve a page of the run on 127.0.0.1 while it goes on')
    .option('--html <file>', 'write the page of the run when it ended')
    .option('--ephemeral-journal', 'in CI: accept that the journal is lost with the machine');
  for (const option of [...selection(), ...densities(), ...streams()]) apply.addOption(option);
  apply.action((named: string | undefined, flags: ApplyFlags) =>
    register(async () => (await import('./commands/apply.js')).apply(terminal, named, flags)),
  );
}

function addVerify(program: Command, terminal: Terminal, register: Register): void {
  const verify = program
    .command('verify')
    .summary('compare what is locked with the platform and the chain')
    .description('Compares every locked thing with the platform and, where it can be read, the chain.')
    .argument('[plan]', PLAN)
    .addOption(environment())
    .option('--attestation <file>', 'check what `windlass attest` wrote instead: signature, files, bytecode')
    .option('--key-file <file>', 'public key that has to have signed it (PEM, Ed25519)')
    .addOption(acceptKey())
    .addOption(format(['text', 'json']));
  for (const option of streams()) verify.addOption(option);
  verify.action((named: string | undefined, flags: VerifyFlags) =>
    register(async () => (await import('./commands/verify.js')).verify(terminal, named, flags)),
  );
}
