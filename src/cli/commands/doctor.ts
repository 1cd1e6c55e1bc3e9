import { findPlan, permissionsAt, requirePlan, type PlanFile } from '../plan-file.js';
import { isOwnVariable, PLAN_PREFIX } from '../../model/own-variables.js';
import type { Permissions } from '../../model/permissions.js';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { LOCAL } from '../../model/environment.js';
import { messageOf, WindlassError } from '../../model/error.js';
import type { Plan } from '../../model/plan.js';
import { escapeTerminal } from '../../report/escape.js';
import { padCells } from '../../report/width.js';
import { paletteOf } from '../../report/palette.js';
import type { StatePlace } from '../../disk/state-paths.js';
import { sentenceAt } from '../failure.js';
import { probeCallbacks, type Probed } from '../callback-probe.js';
import { checkJournal, checkRunLock } from '../lineage-health.js';
import { startEmbedded } from '../local-platform.js';
import { askOwnKey, keySentence } from '../own-key.js';
import { guardedCredentials, placeOf } from '../session.js';
import { secretReader } from '../secrets.js';
import { printResult, type Terminal } from '../terminal.js';
import { checkClock, checkService } from '../surroundings.js';

/** What one check found. `unknown`: it could not be checked, which is no fault. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'wrong' | 'unknown';
  /** One sentence, without secrets. */
  readonly message: string;
}

/** Checks the surroundings that commands rely on. Exit 0, or 3 when something is wrong. */
export async function doctor(
  terminal: Terminal,
  named: string | undefined,
  flags: { readonly env?: string; readonly format: 'text' | 'json' },
): Promise<ExitCode> {
  const found = await findPlan(named, terminal).catch(() => undefined);
  const groups = await Promise.all([
    checked('Node', async () => `${process.versions.node} on ${process.platform} ${process.arch}`),
    checked('folder', () => checkFolder(found ? dirname(found.path) : terminal.cwd)),
    checked('registry', async () => (await import('../registry-client.js')).checkRegistry(terminal)),
    checked('platform', () => checkPlatform()),
    checked('plans may', async () => permissionsText(permissionsAt(terminal.cwd, terminal.env))),
    ...(found === undefined ? [] : [checkPlan(terminal, found, flags.env)]),
  ]);
  const calledWith = { environment: flags.env, plan: named };
  const findings = groups.flat().map((each) => ({ ...each, message: sentenceAt(each.message, calledWith) }));
  if (found === undefined) {
    findings.push({ check: 'plan', state: 'unknown', message: 'there is no plan here' });
  }
  printResult(
    terminal,
    flags.format === 'json' ? JSON.stringify({ findings }, null, 2) : textOf(findings, terminal.out.colour),
  );
  return findings.some((finding) => finding.state === 'wrong') ? EXIT.invalid : EXIT.done;
}

/** Runs a check: its sentence when all is well, or what it threw. */
async function checked(check: string, run: () => Promise<string>): Promise<readonly Finding[]> {
  try {
    return [{ check, state: 'ok', message: await run() }];
  } catch (thrown) {
    const advice = thrown instanceof WindlassError ? ` ${thrown.advice}` : '';
    return [{ check, state: 'wrong', message: `${messageOf(thrown)}${advice}` }];
  }
}

/** What plans may read and whom they may name on this machine. */
function permissionsText({ variables, httpHosts, origins, secretsDir }: Permissions): string {
  const named = [...variables].filter((name) => !isOwnVariable(name));
  const own = [...variables].filter(isOwnVariable);
  return [
    `read variables ${[`${PLAN_PREFIX}…`, ...named].join(', ')}${own.length > 0 ? ` (never ${own.join(', ')}, which Windlass uses)` : ''}`,
    `read secrets beside the plan${secretsDir === undefined ? '' : ` and in ${secretsDir}`}`,
    `name ${origins === undefined ? 'any https origin' : [...origins].join(', ') || 'no origin'}`,
    `use plain http on this machine${httpHosts.size > 0 ? ` and to ${[...httpHosts].join(', ')}` : ' alone'}`,
  ].join('; ');
}

async function checkFolder(folder: string): Promise<string> {
  await access(folder, constants.W_OK);
  return `${folder} can be written to`;
}

async function checkPlatform(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-doctor-'));
  try {
    const began = Date.now();
    const platform = await startEmbedded({
      dataDir: join(folder, 'platform'),
      cacheDir: join(folder, 'cache'),
      failed: () => undefined,
    });
    await platform.stop();
    return `the embedded platform starts and stops (${Date.now() - began} ms)`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkPlan(
  terminal: Terminal,
  file: PlanFile,
  environment: string | undefined,
): Promise<readonly Finding[]> {
  try {
    const plan = await requirePlan(file, environment, () => undefined);
    const ok: Finding = { check: 'plan', state: 'ok', message: `${plan.name} is valid` };
    const place = placeOf(file, plan.environment);
    const groups = await Promise.all([
      ...(plan.environment.name === LOCAL ? [] : [checkEnvironment(terminal, file, plan)]),
      checked('journal', () => checkJournal(place)),
      checked('run lock', () => checkRunLock(place)),
      checkCallbacks(plan, place),
    ]);
    return [ok, ...groups.flat()];
  } catch (thrown) {
    const message = `${file.shown}: ${messageOf(thrown)}; see \`windlass validate\``;
    return [{ check: 'plan', state: 'wrong', message }];
  }
}

async function checkEnvironment(terminal: Terminal, file: PlanFile, plan: Plan): Promise<readonly Finding[]> {
  const { environment } = plan;
  const secrets = secretReader(file, terminal.env);
  const { credentials, baseUrl = '' } = environment;
  const groups = await Promise.all([
    checked('credentials', async () => {
      if (credentials) await Promise.all([secrets(credentials.clientId), secrets(credentials.clientSecret)]);
      return 'both are present';
    }),
    checkKey(terminal, file, plan),
    checked('service', () => checkService(baseUrl, file.permissions)),
    checked('clock', () => checkClock(baseUrl)),
  ]);
  return groups.flat();
}

/** What the key may do and until when, as far as the service tells. A key that ends soon is wrong in time. */
async function checkKey(terminal: Terminal, file: PlanFile, plan: Plan): Promise<readonly Finding[]> {
  const check = 'key';
  const { baseUrl = '' } = plan.environment;
  const credentials = await guardedCredentials(plan, file, secretReader(file, terminal.env)).catch(
    (thrown: unknown) => messageOf(thrown),
  );
  // What keeps the key from going there is told by the commands that send it.
  if (typeof credentials === 'string') return [{ check, state: 'unknown', message: credentials }];
  let soon = false;
  const findings = await checked(check, async () => {
    const key = await askOwnKey({ baseUrl, credentials, permissions: file.permissions });
    if (key === undefined) return 'the service does not tell what the key may do';
    const { text, ends } = keySentence(key, Date.now());
    soon = ends;
    return ends ? `${text}; make another one in time` : text;
  });
  return findings.map((finding) => (soon ? { ...finding, state: 'wrong' } : finding));
}

async function checkCallbacks({ environment }: Plan, place: StatePlace): Promise<readonly Finding[]> {
  let probed: Probed | undefined;
  const findings = await checked('callbacks', async () => {
    probed = await probeCallbacks(environment, place);
    return probed.message;
  });
  return findings.map((finding) => (probed?.arrived === false ? { ...finding, state: 'unknown' } : finding));
}

function textOf(findings: readonly Finding[], colour: boolean): string {
  const palette = paletteOf(colour);
  const paint = { ok: palette.good, wrong: palette.bad, unknown: palette.faint };
  return findings
    .map(({ check, state, message }) => {
      const word = paint[state](padCells(state, 7));
      return `${word}  ${padCells(check, 11)}  ${escapeTerminal(message)}`;
    })
    .join('\n');
}
