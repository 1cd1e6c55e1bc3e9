import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The folder of the package: where `action.yml` stands. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/** A step of a workflow or of a composite action, as far as Windlass uses them. */
export interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly 'working-directory'?: string;
  readonly with?: Readonly<Record<string, string | number>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A job of a workflow. */
export interface Job {
  readonly if?: string;
  readonly steps: readonly Step[];
  readonly outputs?: Readonly<Record<string, string>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
}

/** A composite action. */
export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

/** What `${{ … }}` can name: nested maps of texts. */
export type Context = { readonly [name: string]: string | Context };

/** Where a job runs: its checkout, the doors beside it, and what the runner would hold. */
export interface Runner {
  /** Folder of the checkout; made by `actions/checkout`. */
  readonly workspace: string;
  readonly temp: string;
  /** What `actions/checkout` does. */
  readonly checkout: () => Promise<void>;
  /** Artifacts of the run, by name. */
  readonly artifacts: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a job ended. */
export interface JobEnded {
  readonly ok: boolean;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Reads a YAML file of the package. */
export async function readYaml<Shape>(path: string): Promise<Shape> {
  return parse(await readFile(join(PACKAGE, path), 'utf8')) as Shape;
}

interface Running {
  readonly runner: Runner;
  readonly context: Context;
  readonly env: Readonly<Record<string, string>>;
  ok: boolean;
  log: string;
  steps: Record<string, Context>;
}

/** Runs a job as a runner would: each `run` with bash, each action by what it stands for. */
export async function runJob(job: Job, runner: Runner, context: Context): Promise<JobEnded> {
  await mkdir(runner.temp, { recursive: true });
  const running: Running = { runner, context, env: {}, ok: true, log: '', steps: {} };
  await runSteps(job.steps, running);
  const scope = { ...context, steps: running.steps };
  const outputs = Object.entries(job.outputs ?? {}).map(([name, value]) => [name, filled(value, scope)]);
  const summary = await readFile(join(runner.temp, 'summary'), 'utf8').catch(() => '');
  return {
    ok: running.ok,
    log: running.log,
    summary,
    outputs: Object.fromEntries(outputs) as Record<string, string>,
  };
}

async function runSteps(steps: readonly Step[], running: Running): Promise<void> {
  for (const step of steps) {
    const scope: Context = { ...running.context, steps: running.steps };
    const condition = step.if ?? 'success()';
    const asked = /always\(\)|cancelled\(\)|success\(\)/.test(condition);
    if (!(asked || running.ok) || !truthy(evaluate(condition, scope, running.ok))) continue;
    const env = { ...running.env, ...filledAll(step.env ?? {}, scope) };
    const outputs =
      step.run === undefined
        ? await runAction(step, env, scope, running)
        : await runShell(step, env, scope, running);
    if (step.id !== undefined) running.steps[step.id] = { outputs };
  }
}

async function runShell(
  step: Step,
  env: Readonly<Record<string, string>>,
  scope: Context,
  running: Running,
): Promise<Context> {
  const { runner } = running;
  const file = join(runner.temp, `output-${Object.keys(running.steps).length}-${running.log.length}`);
  await writeFile(file, '');
  const folder = join(runner.workspace, filled(step['working-directory'] ?? '.', scope));
  const ended = await bash(step.run ?? '', folder, {
    ...runner.env,
    ...env,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: PACKAGE,
    GITHUB_OUTPUT: file,
    GITHUB_STEP_SUMMARY: join(runner.temp, 'summary'),
    RUNNER_TEMP: runner.temp,
  });
  running.log += ended.log;
  if (ended.code !== 0) running.ok = false;
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Runs a script as GitHub does for `shell: bash`, and GitLab nearly so. */
export function bash(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly log: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, log }));
  });
}

async function runAction(
  step: Step,
  env: Readonly<Record<string, string>>,
  scope: Context,
  running: Running,
): Promise<Context> {
  const { runner } = running;
  const given = filledAll(step.with ?? {}, scope);
  const name = (step.uses ?? '').replace(/@.*/, '');
  if (name === 'your-org/windlass') return runComposite(given, env, running);
  const { name: artifact = '', path = '' } = given;
  const kept = join(runner.artifacts, artifact);
  const known: Readonly<Record<string, () => Promise<void>>> = {
    'actions/checkout': () => runner.checkout(),
    'actions/setup-node': async () => undefined,
    'actions/upload-artifact': async () => {
      const paths = path.split('\n').filter((line) => line !== '');
      for (const from of paths) await cp(from, join(kept, basename(from)));
    },
    'actions/download-artifact': () => cp(kept, join(runner.workspace, path), { recursive: true }),
  };
  const perform = known[name];
  if (perform === undefined) throw new Error(`no such action: ${name}`);
  await perform();
  return {};
}

async function runComposite(
  given: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  running: Running,
): Promise<Context> {
  const action = await readYaml<Action>('action.yml');
  const unknown = Object.keys(given).filter((name) => !(name in action.inputs));
  if (unknown.length > 0) throw new Error(`the action has no input ${unknown.join(', ')}`);
  const defaults = Object.entries(action.inputs).map(([name, { default: text = '' }]) => [
    name,
    filled(text, running.context),
  ]);
  const inputs = { ...(Object.fromEntries(defaults) as Context), ...given };
  const inner: Running = { ...running, context: { ...running.context, inputs }, env, log: '', steps: {} };
  await runSteps(action.runs.steps, inner);
  running.ok = inner.ok;
  running.log += inner.log;
  const scope = { ...inner.context, steps: inner.steps };
  return Object.fromEntries(
    Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value, scope)]),
  );
}

function filledAll(texts: Readonly<Record<string, string | number>>, scope: Context): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(`${text}`, scope)]));
}

function filled(text: string, scope: Context): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_all, expression: string) => evaluate(expression, scope, true));
}

/** The value of an expression of `||`, `&&`, `==`, `!=`, `!`, names, texts and the status functions. */
function evaluate(expression: string, scope: Context, ok: boolean): string {
  const either = expression.split('||');
  if (either.length > 1) return either.map((part) => evaluate(part, scope, ok)).find(truthy) ?? '';
  const both = expression.split('&&');
  if (both.length > 1) {
    const values = both.map((part) => evaluate(part, scope, ok));
    return values.every(truthy) ? (values.at(-1) ?? '') : 'false';
  }
  return compared(expression.trim(), scope, ok);
}

function compared(text: string, scope: Context, ok: boolean): string {
  const [, left, sign, right] = /^(.+?)\s*(==|!=)\s*(.+)$/.exec(text) ?? [];
  if (left !== undefined && right !== undefined) {
    const same = evaluate(left, scope, ok) === evaluate(right, scope, ok);
    return String(same === (sign === '=='));
  }
  if (text.startsWith('!')) return String(!truthy(evaluate(text.slice(1), scope, ok)));
  if (text.startsWith("'")) return text.slice(1, -1);
  const known = { 'always()': 'true', 'cancelled()': 'false', 'success()': String(ok) };
  return known[text as keyof typeof known] ?? valueAt(text, scope);
}

function valueAt(path: string, scope: Context): string {
  let found: string | Context | undefined = scope;
  for (const name of path.split('.')) found = typeof found === 'object' ? found[name] : undefined;
  return typeof found === 'string' ? found : '';
}

function truthy(value: string): boolean {
  return value !== '' && value !== 'false';
}

/** A workflow of GitHub, as far as the examples use it. */
export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly jobs: Readonly<Record<string, Job>>;
}

/** A pipeline of GitLab. */
export interface GitLab {
  readonly variables: Readonly<Record<string, string>>;
  readonly default: { readonly before_script: readonly string[] };
  readonly [job: string]: unknown;
}

/** A job of it. */
export interface GitLabJob {
  readonly script: readonly string[];
  readonly after_script?: readonly string[];
  readonly environment?: { readonly name: string };
}

/** The workflows of the examples. */
export const WORKFLOWS = ['plan', 'apply', 'drift'] as const;
/** One of them. */
export const workflow = (name: string): Promise<Workflow> =>
  readYaml<Workflow>(`examples/gitops/github/${name}.yml`);
