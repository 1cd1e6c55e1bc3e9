import { join } from 'node:path';
import { openPinCache } from '../disk/pin-cache.js';
import { planFilesIn } from '../disk/sources.js';
import { openState } from '../disk/state-folder.js';
import type { StatePlace } from '../disk/state-paths.js';
import { localPace, REMOTE_PACE, type Pace } from '../execute/pace.js';
import type { Abilities } from '../kinds/kind.js';
import { digestOfBytes } from '../model/canonical.js';
import { LOCAL, type Environment } from '../model/environment.js';
import { WindlassError } from '../model/error.js';
import type { Plan } from '../model/plan.js';
import type { PackageInput } from '../model/resource.js';
import { stateChoice } from '../plan/state-choice.js';
import { pinPackages, specOf } from '../plan/pins.js';
import { CAPABILITIES } from '../protocol/endpoint.js';
import type { Credentials } from '../remote/access.js';
import { openService, type OpenService, type ServiceOptions } from '../remote/service.js';
import type { CommandPlace } from '../report/doubt.js';
import type { Target } from '../state/event.js';
import { SYSTEM_CLOCK } from './clock.js';
import { guardProtected } from './environment-guard.js';
import { inputReader } from './input-files.js';
import { admitKey, type Admission, type KeyFlags } from './key-admission.js';
import { refuseOtherOrigin, refuseStrayKey } from './origin-pin.js';
import { openLocalPlatform } from './local-platform.js';
import { planText, requirePlan, type PlanFile } from './plan-file.js';
import { secretReader, type SecretReader } from './secrets.js';
import { localTarget, remoteTarget } from './target.js';
import type { Terminal } from './terminal.js';
import { printWarnings } from './warnings.js';

/** A plan joined to the place it is released to: what every command that asks the platform works with. */
export interface Session {
  readonly file: PlanFile;
  readonly plan: Plan;
  readonly place: StatePlace;
  readonly service: OpenService;
  readonly abilities: Abilities;
  readonly target: Target;
  /** What makes the key in use one of the lock's organisation, where the lock does not know it yet. */
  readonly admission?: Admission;
  readonly keyFlags: KeyFlags;
  readonly pace: Pace;
  /** Closes connections, and the embedded platform if it was started for this command. */
  close(): Promise<void>;
}

/** The composition root: loads the plan, then opens the service of its environment. @throws PlanMistakes; whatever the rooms throw */
export async function openSession(
  terminal: Terminal,
  file: PlanFile,
  environment: string | undefined,
  keyFlags: KeyFlags = {},
): Promise<Session> {
  const loaded = await requirePlan(file, environment, printWarnings(terminal));
  const plan = await pinnedPlan(loaded, file, terminal);
  const connection =
    plan.environment.name === LOCAL
      ? await connectLocal(plan.environment, file, terminal)
      : await connectRemote(plan, file, secretReader(file, terminal.env));
  const { environment: env } = plan;
  const service = openService({
    baseUrl: connection.baseUrl,
    credentials: async () => connection.credentials,
    clock: SYSTEM_CLOCK,
    permissions: file.permissions,
    files: inputReader(planFilesIn(file.folder)),
    secrets: secretReader(file, terminal.env),
    capabilities: connection.abilities.capabilities,
    ...(env.rateLimit && { rateLimit: env.rateLimit }),
    ...connection.guarantees,
    ...(connection.rpcUrl !== undefined && { rpcUrl: connection.rpcUrl }),
    ...(terminal.tracing && { trace: terminal.tracing.request }),
  });
  const close = async (): Promise<void> => {
    await service.close();
    await connection.close();
  };
  const { abilities, target, pace } = connection;
  const place = placeOf(file, env);
  try {
    const admitted =
      env.name === LOCAL
        ? { target }
        : await admitKey({ place, target, service, abilities, flags: keyFlags });
    return { file, plan, place, service, abilities, ...admitted, keyFlags, pace, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/**
 * The plan with its packages pinned: by the lock where it can, else by the registry.
 *
 * @param asking `offline` for `--offline`: what the lock does not pin stays as the plan writes it
 */
export async function pinnedPlan(plan: Plan, file: PlanFile, asking: Terminal | 'offline'): Promise<Plan> {
  if (packagesOf(plan).length === 0) return plan;
  const { lock } = await openState(placeOf(file, plan.environment, asking === 'offline'));
  const cache = openPinCache(join(file.folder, '.windlass', 'cache', 'pins.json'));
  const asWritten = new Map(packagesOf(plan).map((wanted) => [specOf(wanted), wanted]));
  return pinPackages(
    plan,
    (id) => lock?.entries.get(id)?.outputs,
    async (spec) => {
      const wanted = asWritten.get(spec);
      if (asking === 'offline') return wanted ?? { name: spec };
      const { lookUpPackage } = await import('./registry-client.js');
      return lookUpPackage(spec, cache, asking);
    },
  );
}

function packagesOf(plan: Plan): readonly PackageInput[] {
  return plan.resources.flatMap(({ kind, inputs }) => (kind === 'version' ? inputs.packages : []));
}

/** Where the state of an environment of a plan lives. @param offline with its state in Git: ask nobody */
export function placeOf(
  file: PlanFile,
  { name, state }: Pick<Environment, 'name' | 'state'>,
  offline = false,
): StatePlace {
  const git = state === undefined ? {} : { git: { ...state, offline } };
  return { root: file.folder, planFile: file.name, environment: name, ...git };
}

/**
 * Where the state of an environment lives, for commands that need nothing else of the plan. Mistakes elsewhere in the
 * plan do not matter.
 *
 * @throws CLI_FILE_MISSING; PlanMistakes when the text cannot be read at all
 */
export async function findPlace(file: PlanFile, environment: string | undefined): Promise<StatePlace> {
  const name = environment ?? LOCAL;
  const state = stateChoice(await planText(file), name);
  if (state === 'unreadable')
    return placeOf(file, (await requirePlan(file, name, () => undefined)).environment);
  return placeOf(file, { name, ...(state && { state }) });
}

/** Where a printed command line is meant to be run: with the plan and environment of this one. */
export function commandPlace(named: string | undefined, environment: string | undefined): CommandPlace {
  return { environment: environment ?? LOCAL, ...(named !== undefined && { plan: named }) };
}

interface Connection {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly rpcUrl?: string;
  readonly abilities: Abilities;
  readonly target: Target;
  readonly pace: Pace;
  /** What the service promises of requests and answers. */
  readonly guarantees: Pick<ServiceOptions, 'executionBoundMs' | 'signs' | 'recognised'>;
  close(): Promise<void>;
}

async function connectLocal(env: Environment, file: PlanFile, terminal: Terminal): Promise<Connection> {
  const platform = await openLocalPlatform(file.folder, terminal);
  const { executionBoundMs: bound } = platform;
  return {
    baseUrl: platform.apiUrl,
    credentials: platform.credentials,
    rpcUrl: env.rpcUrl ?? platform.rpcUrl,
    abilities: {
      capabilities: new Set(platform.capabilities),
      callbacks: env.callbacks !== 'off',
      chain: true,
    },
    target: localTarget(platform),
    pace: platform.signs ? localPace(bound) : { ...localPace(bound), unsigned: true },
    guarantees: {
      ...(bound !== undefined && { executionBoundMs: bound }),
      signs: platform.signs,
      recognised: true,
    },
    close: () => platform.close(),
  };
}

/**
 * The credentials of a plan's environment, once it is known that they may go there: to the origin that they were used
 * with, and not where those of another environment belong.
 *
 * @throws PLAN_MISSING_KEY, SECRET_MISSING; whatever refuses them
 */
export async function guardedCredentials(
  plan: Pick<Plan, 'environment' | 'environments'>,
  file: PlanFile,
  secrets: SecretReader,
): Promise<Credentials> {
  const env = plan.environment;
  const { baseUrl } = env;
  if (baseUrl === undefined || env.credentials === undefined) {
    throw new WindlassError('PLAN_MISSING_KEY', `The environment ${env.name} lacks base_url or credentials.`);
  }
  const place = placeOf(file, env);
  await refuseOtherOrigin(place, baseUrl);
  const [clientId, clientSecret] = await Promise.all([
    secrets(env.credentials.clientId),
    secrets(env.credentials.clientSecret),
  ]);
  const client = digestOfBytes(clientId);
  await refuseStrayKey(place, baseUrl, client);
  await guardProtected(plan, file, client, secrets);
  return { clientId, clientSecret };
}

async function connectRemote(plan: Plan, file: PlanFile, secrets: SecretReader): Promise<Connection> {
  const env = plan.environment;
  const { baseUrl, rpcUrl } = env;
  if (baseUrl === undefined) {
    throw new WindlassError('PLAN_MISSING_KEY', `The environment ${env.name} lacks base_url.`);
  }
  const credentials = await guardedCredentials(plan, file, secrets);
  const { clientId } = credentials;
  const chain = rpcUrl === undefined ? {} : { rpcUrl };
  return {
    baseUrl,
    credentials,
    ...chain,
    abilities: abilitiesOf(env),
    target: await remoteTarget({ baseUrl, clientId, permissions: file.permissions, ...chain }),
    pace: REMOTE_PACE,
    guarantees: {},
    close: async () => undefined,
  };
}

/** What an environment can show and prove, as the plan declares it; the embedded platform has everything. */
export function abilitiesOf(env: Environment): Abilities {
  const local = env.name === LOCAL;
  return {
    capabilities: new Set(CAPABILITIES.filter((name) => local || env.capabilities.includes(name))),
    callbacks: env.callbacks !== 'off',
    chain: local || env.rpcUrl !== undefined,
  };
}
