import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { chance } from './chance.mjs';
import { run } from './commands.mjs';
import { journalEvents, lockEntries } from './folder.mjs';
import { freePort } from './listening.mjs';
import { begin, clear, expectCode, newPlace, newTale, note, sound } from './place.mjs';
import { byChance, openProxy } from './proxy.mjs';
import { EXPECTED } from './release.mjs';
import { chainFaults, effectsPerAttempt, lockFaults, readTruth } from './verdict.mjs';

const KEY = `0x${'21'.repeat(32)}`;
/**
 * Longest time of one apply here. An accepted write is undecided after ten minutes when nothing tells its outcome: its only
 * callback was lost, or the list shows two of it. That may come three times in a row.
 */
const LIMIT_MS = 32 * 60_000;

const KINDS_OF_LOCK = { instance: 'contract' };

/** A release of a plan that the seed chooses, through a proxy between command and platform, and one for callbacks. */
async function releaseUnderProxy(place, tale) {
  const chances = chance(tale.seed);
  const variant = variantOf(chances);
  tale.log.push(JSON.stringify(variant));
  await sound(place, ['platform', 'start', '--detach']);
  const registration = join(place.cwd, '.windlass', 'platform.json');
  const registered = readFileSync(registration, 'utf8');
  const { api_url: upstream } = JSON.parse(registered);
  const port = await freePort();
  const faults = byChance(chances, variant.shares);
  const alter = (path, text) => (path === '/health' ? healthOf(text, variant) : text);
  const service = await openProxy({ upstream, decide: faults.decide, alter });
  const callbacks = await openProxy({ upstream: `http://127.0.0.1:${port}`, decide: faults.decide });
  const behind = JSON.stringify({ ...JSON.parse(registered), api_url: service.url });
  place.env = { WINDLASS_VAR_SIGNER_KEY: KEY };
  place.limitMs = LIMIT_MS;
  try {
    if (variant.capabilities === 'none') await sound(place, ['platform', 'project', 'create', 'registry']);
    writePlan(place.cwd, variant, { url: callbacks.url, port });
    register(registration, behind);
    for (let tries = 0; tries < 2; tries += 1) {
      const ended = note(tale, await begin(place, place.env).ended);
      // A read that failed may block a change.
      expectCode(ended, [0, 3, 7, 8]);
    }
    await service.quiet();
    faults.beCalm();
    const ended = await settled(place, tale);
    tale.disturbed += service.log.length + callbacks.log.length;
    tale.faults.push(...(await verdict(place, { variant, service, exit: ended.code }, tale)));
    if (tale.faults.length > 0) tale.log.push(disturbances(service, callbacks));
  } catch (thrown) {
    tale.log.push(disturbances(service, callbacks));
    throw thrown;
  } finally {
    register(registration, registered);
    await service.close();
    await callbacks.close();
  }
}

function disturbances(service, callbacks) {
  return '\n  ' + service.log.concat(callbacks.log).join('\n  ');
}

function variantOf(chances) {
  const capabilities = chances.pick(['all', 'all', 'none']);
  return {
    capabilities,
    callbacks: capabilities === 'none' || chances.number(1) < 0.5 ? 'on' : 'off',
    deploy: chances.pick(['batch', 'single']),
    marks: chances.number(1) < 0.3 ? 'none' : 'ours',
    signed: chances.number(1) < 0.5,
    inFlight: chances.pick([1, 4, 32]),
    shares: {
      write: chances.pick([0.05, 0.15, 0.3]),
      read: chances.pick([0, 0.03, 0.1]),
      callback: chances.pick([0, 0.2, 0.5]),
      repeats: chances.number(1) < 0.5,
    },
  };
}

function healthOf(text, { capabilities }) {
  const health = JSON.parse(text);
  return JSON.stringify(capabilities === 'none' ? { ...health, capabilities: [] } : health);
}

function writePlan(root, variant, { url, port }) {
  const path = join(root, 'windlass.yaml');
  const callbacks = variant.callbacks === 'on' ? `{ url: "${url}", listen: "127.0.0.1:${port}" }` : 'off';
  let text = readFileSync(path, 'utf8')
    .replace(
      /^name: .*$/m,
      (line) =>
        `${line}\nenvironments: { local: { callbacks: ${callbacks}, max_in_flight: ${variant.inFlight} } }`,
    )
    .replace(
      '    contracts:\n      Registry:',
      `    deploy: ${variant.deploy}\n    contracts:\n      Registry:`,
    );
  if (variant.marks === 'none')
    text = text
      .replace('      key: id\n', '      key: id\n      marker: none\n')
      .replace('    announced:\n', '    announced:\n      envelope: none\n');
  if (variant.signed)
    text = text
      .replace('wallets:\n', `wallets:\n  signer: { address: "${privateKeyToAccount(KEY).address}" }\n`)
      .replace(
        'deployments:\n',
        'deployments:\n  signed:\n    version: registry@1.0.0\n    wallet: { type: non_custodial, use: signer, signer: { key: { env: WINDLASS_VAR_SIGNER_KEY } } }\n' +
          '    contracts: { Own: { contract: Registry, params: { owner_: <signer_ADDRESS> } } }\n',
      );
  writeFileSync(path, text);
}

/** Applies without faults until nothing is left to do, or until a person must speak. */
async function settled(place, tale) {
  let ended;
  for (let tries = 0; tries < 3 && ended?.code !== 0; tries += 1) {
    ended = note(tale, await run(['apply', '--yes'], place));
    expectCode(ended, tries < 2 ? [0, 7, 8] : [0, 8]);
  }
  return ended;
}

/** What a person would have to settle, by `status`. */
async function doubts(place) {
  const { output } = await run(['status', '--format', 'json'], place);
  return JSON.parse(output.slice(output.indexOf('{'))).doubts;
}

async function verdict(place, { variant, service, exit }, tale) {
  const truth = await readTruth(place.cwd);
  const named = await doubts(place);
  const open = new Set(
    named.filter(({ state }) => state !== 'duplicate').map(({ step }) => step.replace(/#\d+$/, '')),
  );
  const twice = new Set(
    named.filter(({ state }) => state === 'duplicate').map(({ step }) => step.replace(/#\d+$/, '')),
  );
  tale.undecided = open.size;
  for (const { step, state, answer, looked } of named)
    tale.log.push(`${state} ${step}: ${JSON.stringify(answer)}, looked ${JSON.stringify(looked)}`);
  const faults = [];
  if (named.length > 0 !== (exit === 8)) faults.push(`exit ${exit}, but ${named.length} steps in doubt`);
  const lock = lockEntries(place.cwd);
  faults.push(...chainFaults(truth), ...lockFaults(lock, truth.effects, new Set(['no search for the lost'])));
  for (const { id, count, live } of effectsPerAttempt(journalEvents(place.cwd), truth.effects)) {
    if (live > count && !twice.has(id))
      faults.push(`${id} took effect ${live} times instead of ${count}, and nobody is told`);
    if (live > count && service.repeated.length === 0)
      faults.push(`${id} took effect ${live} times, and nothing was repeated`);
  }
  const live = truth.effects.filter(({ state }) => state === 'live');
  for (const [kind, usual] of Object.entries(EXPECTED)) {
    const expected = usual + (kind === 'instance' && variant.signed ? 1 : 0);
    const found = live.filter((effect) => effect.kind === kind).length;
    const locked = [...lock.entries.keys()].filter((id) =>
      id.startsWith(`${KINDS_OF_LOCK[kind] ?? kind}.`),
    ).length;
    if (open.size === 0 && locked !== expected)
      faults.push(`${locked} of kind ${kind} in the lockfile instead of ${expected}`);
    if (open.size === 0 && found < expected)
      faults.push(`${found} live effects of kind ${kind} instead of ${expected}`);
    if (found <= expected) continue;
    if (service.repeated.length === 0)
      faults.push(`${found} live effects of kind ${kind}, and nothing was repeated`);
    const told = [...twice, ...open].some(
      (id) =>
        id.startsWith(kind === 'instance' ? 'deployment.' : `${kind}.`) ||
        (kind === 'instance' && id.startsWith('contract.')),
    );
    if (!told && canBeSeen(kind, variant))
      faults.push(`${found} live effects of kind ${kind} instead of ${expected}, and nobody is told`);
  }
  return faults;
}

/** Without lists and callbacks nothing shows a second category, tag, wallet or version that nobody refers to. */
function canBeSeen(kind, { capabilities }) {
  return capabilities === 'all' || !['category', 'tag', 'wallet', 'project'].includes(kind);
}

function register(path, text) {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Tells one story of a proxy. */
export async function tellProxied({ seed }) {
  const place = newPlace();
  const tale = newTale('proxy', seed);
  try {
    await releaseUnderProxy(place, tale);
  } catch (thrown) {
    tale.faults.push(thrown.message);
  }
  const left = await clear(place, tale.faults.length > 0);
  if (left.length > 0) tale.faults.push(`processes were left: ${left.join(' ')}`);
  return { ...tale, folder: place.cwd };
}
