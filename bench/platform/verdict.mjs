import { createHash } from 'node:crypto';

/** How many effects an accepted request of each kind has. */
const EFFECTS = { deploy: 2, mint: 1, transfer: 1, record: 1, trail: 1, diplomas: 1 };

/** The digest by which ground truth names a token. */
export function digestOf(token) {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`;
}

/**
 * Compares what was asked and answered with what really happened. Answers one sentence for each disagreement.
 *
 * @param sent requests: `{token, kind, answer}`; `answer` is `{status, body}`, or undefined when none came
 * @param effects ground truth of the platform
 * @param callbacks bodies by token
 * @param chain transactions of the chain by hash: `{from, nonce, ok}`
 */
export function verdictOf({ sent, effects, callbacks, chain }) {
  const byToken = new Map();
  for (const effect of effects) byToken.set(effect.token, [...(byToken.get(effect.token) ?? []), effect]);
  return [
    ...sent.flatMap((request) => requestFaults(request, byToken.get(digestOf(request.token)) ?? [])),
    ...sent.flatMap((request) => callbackFaults(request, byToken, callbacks.get(request.token) ?? [])),
    ...chainFaults(effects, chain),
    ...strangers(sent, effects),
  ];
}

function requestFaults({ token, kind, answer }, effects) {
  const faults = [];
  const say = (text) => faults.push(`${kind} ${token}: ${text}`);
  const accepted = answer?.status === 200;
  const due = EFFECTS[kind];
  if (accepted && effects.length !== due) say(`accepted, and has ${effects.length} effects`);
  if (answer !== undefined && !accepted && effects.length > 0) {
    say(`answered ${answer.status}, and has ${effects.length} effects`);
  }
  if (answer === undefined && ![0, due].includes(effects.length))
    say(`no answer, and ${effects.length} effects`);
  for (const { state } of effects) if (state === 'pending') say('never settled');
  const hash = answer?.body?.result?.transactionHash;
  if (accepted && hash !== undefined && hash !== effects[0]?.transaction)
    say('another transaction than answered');
  const tokenId = answer?.body?.result?.nft_token_id;
  if (accepted && tokenId !== undefined && String(tokenId) !== effects[0]?.tokenId)
    say('another token than answered');
  return faults;
}

function callbackFaults({ token, kind }, byToken, bodies) {
  const effects = byToken.get(digestOf(token)) ?? [];
  if (effects.length === 0) {
    return bodies.length === 0 ? [] : [`${kind} ${token}: called back, though nothing happened`];
  }
  if (bodies.length === 0) return [`${kind} ${token}: not called back`];
  if (new Set(bodies).size > 1)
    return [`${kind} ${token}: called back with ${new Set(bodies).size} different bodies`];
  const body = JSON.parse(bodies[0]);
  const status = (body.result ?? body).status;
  const good = effects.every(({ state }) => state === 'live');
  const said = status === 'success' || status === 'Completed';
  return good === said ? [] : [`${kind} ${token}: called back ${status}, and the effects say otherwise`];
}

function chainFaults(effects, chain) {
  const recorded = effects.filter(({ transaction }) => transaction !== null);
  const known = new Set(recorded.map(({ transaction }) => transaction));
  const faults = [...chain.keys()]
    .filter((hash) => !known.has(hash))
    .map((hash) => `the chain has ${hash}, which the records do not know`);
  for (const { transaction, state, kind } of recorded) {
    const mined = chain.get(transaction);
    if (state === 'live' && mined?.ok !== true)
      faults.push(`${kind} ${transaction}: live, and not so on the chain`);
    if (state === 'failed' && mined?.ok === true)
      faults.push(`${kind} ${transaction}: failed, and stands on the chain`);
  }
  const tokens = recorded.filter(({ kind, state }) => kind === 'certificate' && state === 'live');
  const twice = duplicates(tokens.map(({ address, tokenId }) => `${address}[${tokenId}]`));
  const nonces = duplicates([...chain.values()].map(({ from, nonce }) => `${from} ${nonce}`));
  return [
    ...faults,
    ...twice.map((one) => `token ${one} twice`),
    ...nonces.map((one) => `nonce ${one} twice`),
  ];
}

function strangers(sent, effects) {
  const asked = new Set(sent.map(({ token }) => digestOf(token)));
  return effects
    .filter(({ token }) => token !== null && !asked.has(token))
    .map(({ kind, subject }) => `${kind} ${subject} was never asked for`);
}

function duplicates(list) {
  const seen = new Set();
  return list.filter((item) => seen.has(item) || !seen.add(item));
}
