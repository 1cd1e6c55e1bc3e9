import { randomUUID } from 'node:crypto';
import { digestOfBytes } from '../model/canonical.js';
import type { Environment } from '../model/environment.js';
import { WindlassError } from '../model/error.js';
import { textMember, member, type Json } from '../model/json.js';
import type { Clock, Service } from '../execute/ports.js';
import type { Abilities } from '../kinds/kind.js';
import { CAPABILITIES, type Capability } from '../protocol/endpoint.js';
import { SIGN } from '../protocol/sign.js';
import type { Target } from '../state/event.js';
import { quantity } from './chain.js';
import { jsonOf } from './classify.js';
import { openTransport } from './exchange.js';
import { cleanMessage } from './redact.js';
import { openRpc } from './rpc.js';

/** Longest health that is read. */
const MAX_BYTES = 100_000;

/** Where a release goes: the embedded platform by its address, or a service of the plan. */
export type Place =
  | { readonly type: 'local'; readonly baseUrl: string; readonly callbacks: boolean }
  | {
      readonly type: 'service';
      readonly environment: Environment;
      readonly clientId: string;
      readonly service: Pick<Service, 'read'>;
      readonly clock: Clock;
    };

/** Whom a release goes to, and what can be seen and proven there. */
export interface Surroundings {
  readonly target: Target;
  readonly abilities: Abilities;
  /** Where the chain can be read. */
  readonly rpcUrl?: string;
  /** Embedded platform only: it begins no request later than this after it came. */
  readonly executionBoundMs?: number;
  /** Embedded platform only: its answers bear the signs of their requests, and nothing on the way takes them off. */
  readonly signs?: boolean;
}

/**
 * Finds out whom a release goes to. The embedded platform tells by `GET /health`: its id, capabilities, chain and
 * genesis, never its port. A foreign service is known by origin and client, and by its chain where a node or the
 * `utils` capability tells.
 *
 * @throws REMOTE_UNREACHABLE, REMOTE_RATE_LIMITED, REMOTE_AUTHENTICATION; REMOTE_ANSWER when something else answers
 */
export function readTarget(place: Place): Promise<Surroundings> {
  return place.type === 'local' ? readPlatform(place) : readService(place);
}

async function readPlatform({
  baseUrl,
  callbacks,
}: Extract<Place, { type: 'local' }>): Promise<Surroundings> {
  const { health, signs } = await getHealth(baseUrl);
  const id = textMember(health, 'id');
  const genesis = textMember(health, 'genesis');
  const chainId = member(health, 'chain_id');
  if (id === undefined || genesis === undefined || typeof chainId !== 'number') {
    throw new WindlassError('REMOTE_ANSWER', `What answers at ${baseUrl} is no embedded platform.`);
  }
  const rpcUrl = textMember(health, 'rpc_url');
  const bound = member(health, 'max_execution_delay_ms');
  return {
    target: { origin: 'local', client: digestOfBytes(id), chain: `${chainId}:${genesis}` },
    abilities: {
      capabilities: capabilitiesIn(member(health, 'capabilities')),
      callbacks,
      chain: rpcUrl !== undefined,
    },
    ...(rpcUrl !== undefined && { rpcUrl }),
    ...(typeof bound === 'number' && { executionBoundMs: bound }),
    signs,
  };
}

async function getHealth(
  baseUrl: string,
): Promise<{ readonly health: Json | undefined; readonly signs: boolean }> {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/health`);
  const transport = openTransport(url.origin);
  try {
    const sign = randomUUID();
    const headers = { accept: 'application/json', [SIGN]: sign };
    const exchange = await transport.exchange(
      { method: 'GET', path: url.pathname, headers, maxBytes: MAX_BYTES },
      false,
    );
    if (exchange.type === 'response') {
      const health = exchange.status === 200 ? jsonOf(exchange) : undefined;
      return { health, signs: exchange.headers[SIGN] === sign };
    }
    throw new WindlassError('REMOTE_UNREACHABLE', `${baseUrl}: ${cleanMessage(exchange.message, [])}`);
  } finally {
    await transport.close();
  }
}

async function readService(place: Extract<Place, { type: 'service' }>): Promise<Surroundings> {
  const { environment, clientId } = place;
  const { baseUrl, rpcUrl } = environment;
  if (baseUrl === undefined) {
    throw new WindlassError('PLAN_MISSING_KEY', `The environment ${environment.name} has no base_url.`);
  }
  const capabilities = capabilitiesIn(environment.capabilities);
  const chain =
    rpcUrl === undefined ? await chainOfService(place, capabilities) : await chainOfNode(rpcUrl, place);
  return {
    target: {
      origin: new URL(baseUrl).origin,
      client: digestOfBytes(clientId),
      ...(chain !== undefined && { chain }),
    },
    abilities: { capabilities, callbacks: environment.callbacks !== 'off', chain: rpcUrl !== undefined },
    ...(rpcUrl !== undefined && { rpcUrl }),
  };
}

/** `ID:GENESIS`, as a node tells. */
async function chainOfNode(rpcUrl: string, { clock }: { readonly clock: Clock }): Promise<string> {
  const rpc = openRpc({ url: rpcUrl, clock });
  try {
    const [id, block] = await Promise.all([
      rpc.call('eth_chainId', []),
      rpc.call('eth_getBlockByNumber', ['0x0', false]),
    ]);
    const [number, genesis] = [quantity(id), textMember(block, 'hash')];
    if (number !== undefined && genesis !== undefined) return `${number}:${genesis}`;
    throw new WindlassError('REMOTE_ANSWER', 'The RPC node tells neither its chain id nor its first block.');
  } finally {
    await rpc.close();
  }
}

/** The id alone, where the service tells. */
async function chainOfService(
  { service }: { readonly service: Pick<Service, 'read'> },
  capabilities: ReadonlySet<Capability>,
): Promise<string | undefined> {
  if (!capabilities.has('utils')) return undefined;
  const answer = await service.read({ type: 'service', endpoint: 'utils.chain-id' });
  const id = answer.type === 'found' ? answer.value : undefined;
  return typeof id === 'number' || typeof id === 'string' ? `${id}` : undefined;
}

function capabilitiesIn(names: Json | undefined): ReadonlySet<Capability> {
  const listed: readonly Json[] = Array.isArray(names) ? (names as readonly Json[]) : [];
  return new Set(CAPABILITIES.filter((name) => listed.includes(name)));
}
