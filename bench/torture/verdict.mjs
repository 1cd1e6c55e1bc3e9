import { isDeepStrictEqual } from 'node:util';
import { journalEvents, leftovers, lockEntries, platformPorts } from './folder.mjs';
import { EXPECTED } from './release.mjs';

/** Effects that are known by their address. */
const CREATES = new Set(['wallet', 'instance', 'audit-contract', 'certificate-contract']);

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Ground truth of a folder's platform: effects by its records, and by its chain. */
export async function readTruth(root) {
  const { truth, rpc } = platformPorts(root);
  const { effects } = await (await fetch(`${truth}/__truth/effects`)).json();
  const call = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    return (await (await fetch(rpc, { method: 'POST', headers, body })).json()).result;
  };
  const range = { fromBlock: '0x0', toBlock: 'latest' };
  const moves = await call('eth_getLogs', [{ ...range, topics: [TRANSFER] }]);
  const receipts = await Promise.all(
    effects
      .filter(({ transaction }) => transaction !== null)
      .map(async (effect) => ({
        effect,
        receipt: await call('eth_getTransactionReceipt', [effect.transaction]),
      })),
  );
  return { effects, moves, receipts };
}

/**
 * Holds what a settled release left to what it promises.
 *
 * @param undecided steps that `status` names; none after exit 0
 * @returns what is wrong, in words; nothing when all holds
 */
export function faultsOf(root, truth, { undecided, reference }) {
  const events = journalEvents(root);
  const lock = lockEntries(root);
  const open = new Set(undecided.map((step) => step.replace(/#\d+$/, '')));
  return [
    ...onceEach(events, truth.effects, open),
    ...countFaults(truth, open),
    ...chainFaults(truth),
    ...lockFaults(lock, truth.effects, open),
    ...(open.size > 0 || reference === undefined ? [] : differences(lock, reference)),
    ...leftovers(root).map((name) => `${name} was left behind`),
  ];
}

/** Each step had exactly one live effect for each of its resources, over all of its attempts. */
function onceEach(events, effects, open) {
  const faults = effects
    .filter(({ state }) => state === 'pending')
    .map(({ kind, transaction }) => `${kind} ${transaction} is still pending`);
  const tokens = new Set(events.flatMap(({ type, token }) => (type === 'step-intended' ? [token] : [])));
  for (const { token, kind, transaction } of effects)
    if (token !== null && !tokens.has(token))
      faults.push(`${kind} ${transaction} belongs to no attempt of the journal`);
  for (const { id, names, count, live } of effectsPerAttempt(events, effects))
    if (live > count || (live < count && !open.has(id)))
      faults.push(`${names} took effect ${live} times instead of ${count}`);
  return faults;
}

/** Live effects of all attempts at the same resources, where effects tell their attempt: `{id, names, count, live}`. */
export function effectsPerAttempt(events, effects) {
  const owners = new Map();
  const resources = new Map();
  for (const event of events) {
    if (event.type !== 'step-intended') continue;
    const names = event.resources.join(' ');
    owners.set(event.token, names);
    const id = event.step.replace(/#\d+$/, '');
    resources.set(names, { id, names, count: event.resources.length, live: 0, known: false });
  }
  for (const { token, state } of effects) {
    const found = resources.get(owners.get(token));
    if (found === undefined) continue;
    found.known = true;
    if (state === 'live') found.live += 1;
  }
  return [...resources.values()].filter(({ known }) => known);
}

function countFaults({ effects, moves }, open) {
  const live = effects.filter(({ state }) => state === 'live');
  const faults = Object.entries(EXPECTED).flatMap(([kind, expected]) => {
    const found = live.filter((effect) => effect.kind === kind).length;
    const wrong = open.size > 0 ? found > expected : found !== expected;
    return wrong ? [`${found} live effects of kind ${kind} instead of ${expected}`] : [];
  });
  const mints = moves.filter(({ topics }) => BigInt(topics[1]) === 0n).length;
  const certificates = live.filter(({ kind }) => kind === 'certificate').length;
  if (mints !== certificates) faults.push(`the chain shows ${mints} mints, the records ${certificates}`);
  const strange = live.filter(({ kind }) => EXPECTED[kind] === undefined);
  return [...faults, ...strange.map(({ kind }) => `an effect of the unknown kind ${kind}`)];
}

/** The platform's records agree with its chain. */
export function chainFaults({ receipts }) {
  return receipts.flatMap(({ effect: { kind, transaction, state, address, tokenId }, receipt }) => {
    if ((receipt?.status === '0x1') !== (state === 'live'))
      return [`${kind} ${transaction} is ${state} by the records, not by the chain`];
    const made = tokenId === null ? receipt?.contractAddress : null;
    return made && made.toLowerCase() !== address?.toLowerCase()
      ? [`${kind} ${transaction} made ${made}, not ${address}`]
      : [];
  });
}

/** What the lockfile says is what happened; nothing that happened is missing. */
export function lockFaults({ entries }, effects, open) {
  const byHash = new Map(effects.map((effect) => [effect.transaction, effect]));
  const faults = [];
  const locked = new Set();
  for (const [id, { outputs, receipt }] of entries) {
    const kind = id.slice(0, id.indexOf('.'));
    if (kind === 'wallet') {
      locked.add(outputs.address);
      if (!effects.some((effect) => effect.kind === 'wallet' && effect.address === outputs.address))
        faults.push(`${id} is locked at ${outputs.address}, which the platform did not make`);
    }
    const hash = receipt?.transaction;
    // Listings do not always name the transaction of what they show; its address then stands for it.
    if (hash === undefined) {
      if (kind === 'contract' || kind.endsWith('-contract')) locked.add(outputs.address);
      continue;
    }
    const effect = byHash.get(hash);
    if (locked.has(hash)) faults.push(`${id} shares its transaction ${hash}`);
    locked.add(hash);
    if (effect?.state !== 'live') faults.push(`${id} is locked with ${hash}, which is not live`);
    else if (outputs.tokenId !== undefined && outputs.tokenId !== effect.tokenId)
      faults.push(`${id} is locked as token ${outputs.tokenId}, but is ${effect.tokenId}`);
    else if (outputs.address !== undefined && outputs.address !== effect.address)
      faults.push(`${id} is locked at ${outputs.address}, but is at ${effect.address}`);
  }
  if (open.size > 0) return faults;
  const lost = effects.filter(
    ({ state, kind, transaction, address }) =>
      state === 'live' &&
      (transaction !== null || kind === 'wallet') &&
      !locked.has(transaction) &&
      !(CREATES.has(kind) && locked.has(address)),
  );
  return [
    ...faults,
    ...lost.map(
      ({ kind, transaction, address }) => `${kind} ${transaction ?? address} is not in the lockfile`,
    ),
  ];
}

/**
 * The lock without what may differ between two runs: times, attempt numbers, grades (a lost answer leaves other evidence),
 * and hashes of transactions and of metadata, which are salted.
 */
export function comparable({ entries, addresses }) {
  const kept = [...entries].map(([id, { outputs, inputs, digest }]) => [
    id,
    { outputs: withoutHashes(outputs), inputs: withoutHashes(inputs), digest },
  ]);
  return { addresses, entries: Object.fromEntries(kept) };
}

function withoutHashes(value) {
  const { transaction: _hash, metadatahash: _salted, ...rest } = value ?? {};
  return rest;
}

function differences(lock, reference) {
  const mine = comparable(lock);
  const faults = [];
  for (const id of new Set([...Object.keys(mine.entries), ...Object.keys(reference.entries)])) {
    const [found, expected] = [mine.entries[id], reference.entries[id]];
    if (isDeepStrictEqual(found, expected)) continue;
    faults.push(`lockfile differs at ${id}: ${summary(found, expected)}`);
  }
  if (!isDeepStrictEqual(mine.addresses, reference.addresses) && faults.length === 0)
    faults.push('lockfile differs in its addresses');
  return faults;
}

function summary(found, expected) {
  if (found === undefined || expected === undefined) return found === undefined ? 'missing' : 'not expected';
  const members = Object.keys(expected).filter((name) => !isDeepStrictEqual(found[name], expected[name]));
  return members
    .map((name) => `${name} ${JSON.stringify(found[name])} instead of ${JSON.stringify(expected[name])}`)
    .join('; ')
    .slice(0, 400);
}
