import { describe, expect, it } from 'vitest';
import { recordCallback } from '../../src/execute/hear.js';
import { recheckAbsent } from '../../src/execute/recheck.js';
import { Recorder } from '../../src/execute/recorder.js';
import { licence, resolvableStep, resolveStep, type Resolution } from '../../src/execute/resolve.js';
import type { Abilities } from '../../src/kinds/kind.js';
import type { ReadAnswer, ReadRequest } from '../../src/kinds/operation.js';
import type { ResourceId, StepId } from '../../src/model/id.js';
import type { Json } from '../../src/model/json.js';
import type { JournalEvent } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';

const AT = '2026-01-01T00:00:00.000Z';
const CORE: Abilities = { capabilities: new Set(), callbacks: true, chain: false };
const A = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const TX = `0x${'12'.repeat(32)}`;
const BATCH = 'deployment.core#1';
const TRANSFER = 'transfer.gift#1';

function intended(
  step: StepId,
  operation: string,
  resources: readonly ResourceId[],
  before: Json,
): JournalEvent {
  const inputs = Object.fromEntries(resources.map((id) => [id, {}]));
  return {
    type: 'step-intended',
    at: AT,
    step,
    resources,
    operation,
    lane: 'x',
    token: `sha256:${step}`,
    request: 'sha256:0',
    before,
    inputs,
  };
}

/** A lineage and its recorder; what is recorded is kept in `events`. */
function lineage(...begun: readonly JournalEvent[]): { recorder: Recorder; events: JournalEvent[] } {
  const target = { origin: 'local', client: 'sha256:0' } as const;
  const started = { type: 'lineage-started', at: AT, version: 1, lineage: 'l', target } as const;
  const state = new LineageState([started, ...begun]);
  const events: JournalEvent[] = [];
  const journal = { append: async (added: readonly JournalEvent[]) => void events.push(...added) };
  const clock = { nowMs: () => Date.parse(AT), sleep: async () => undefined };
  return { recorder: new Recorder({ state, journal, clock, observe: () => undefined }), events };
}

function service(answer: (request: ReadRequest) => ReadAnswer): {
  read(r: ReadRequest): Promise<ReadAnswer>;
} {
  return { read: async (request) => answer(request) };
}

const BLIND = service(() => ({ type: 'unreadable', message: 'not here' }));

const batch = intended(BATCH, 'contract.deploy', ['contract.core.Registry', 'contract.core.Token'], {});
const transfer = intended(TRANSFER, 'certificate.transfer', ['transfer.gift'], {
  contract: A,
  from: A,
  to: A,
  tokenId: '7',
  before: [],
});

function said(over: Partial<Resolution>): Resolution {
  return { decision: 'adopt', given: {}, statement: 'looked', by: 'operator', ...over };
}

describe('a batch that a person settles', () => {
  it('is settled contract by contract; one that was not made may be sent again', async () => {
    const { recorder } = lineage(batch);
    const attempt = resolvableStep(recorder.state, BATCH);
    const parts = { recorder, abilities: CORE, service: BLIND };
    const given = { Registry: A.toLowerCase(), Token: 'none' };
    expect(licence(attempt, { decision: 'adopt', given })).toBe('fact');
    await expect(resolveStep(attempt, said({ given: { Registry: A } }), parts)).rejects.toMatchObject({
      code: 'CLI_USAGE',
    });
    await expect(resolveStep(attempt, said({ given: { ...given, Tokn: A } }), parts)).rejects.toMatchObject({
      code: 'CLI_USAGE',
    });
    await resolveStep(attempt, said({ given }), parts);
    const { lock } = recorder.state;
    expect([...(lock?.entries.keys() ?? [])]).toEqual(['contract.core.Registry']);
    expect(lock?.entries.get('contract.core.Registry')).toMatchObject({
      grade: 'O',
      outputs: { address: A },
    });
    expect(() => resolvableStep(recorder.state, BATCH)).toThrow(/settled/);
  });

  it('cannot take an address that is the effect of another step', async () => {
    const first = intended('contract.old.Registry#1', 'contract.deploy', ['contract.old.Registry'], {});
    const made: JournalEvent = {
      type: 'step-settled',
      at: AT,
      step: 'contract.old.Registry#1',
      state: 'confirmed',
      grade: 'A',
      outputs: { 'contract.old.Registry': { address: A } },
    };
    const { recorder, events } = lineage(first, made, batch);
    const attempt = resolvableStep(recorder.state, BATCH);
    const given = { Registry: A, Token: 'none' };
    await expect(
      resolveStep(attempt, said({ given }), { recorder, abilities: CORE, service: BLIND }),
    ).rejects.toMatchObject({ code: 'RESOLVE_CONTRADICTED' });
    expect(events).toEqual([]);
  });
});

describe('an attempt that a person declared absent', () => {
  const absent = {
    type: 'step-resolved',
    at: AT,
    step: TRANSFER,
    decision: 'absent',
    statement: 's',
    by: 'operator',
  } as const;
  const arrival = { nft_token_id: 7, transactionHash: TX, to_wallet: A, status: 'success' };
  const shown = service(() => ({ type: 'found', value: [arrival], source: 'read' }));

  it('is a duplicate, once, when its callback says success; a failure is none', async () => {
    const { recorder, events } = lineage(transfer, absent);
    await recordCallback(recorder, TRANSFER, { status: 'failed' });
    expect(recorder.state.attempts.get(TRANSFER)?.contradicted).toBeUndefined();
    await recordCallback(recorder, TRANSFER, { status: 'success', transactionHash: TX });
    await recordCallback(recorder, TRANSFER, { status: 'success', transactionHash: TX });
    expect(events.filter(({ type }) => type === 'step-duplicated')).toMatchObject([
      { step: TRANSFER, facts: { transactionHash: TX } },
    ]);
    expect(recorder.state.attempts.get(TRANSFER)?.contradicted).toBe('reopened');
  });

  it('is contradicted by its callback however many others came before', async () => {
    const { recorder, events } = lineage(transfer, absent);
    for (let nonce = 0; nonce < 40; nonce += 1)
      await recordCallback(recorder, TRANSFER, { status: 'failed', nonce });
    expect(events).toHaveLength(16);
    await recordCallback(recorder, TRANSFER, { status: 'success' });
    expect(recorder.state.attempts.get(TRANSFER)?.contradicted).toBe('reopened');
  });

  it('is found by reads before anything is sent in its place', async () => {
    const { recorder } = lineage(transfer, absent);
    expect(await recheckAbsent(recorder, { abilities: CORE, service: BLIND })).toEqual([]);
    expect(await recheckAbsent(recorder, { abilities: CORE, service: shown })).toEqual([TRANSFER]);
    expect(recorder.state.attempts.get(TRANSFER)?.contradicted).toBe('reopened');
    expect(await recheckAbsent(recorder, { abilities: CORE, service: shown })).toEqual([]);
  });

  it('is not blamed for the effect of the attempt that took its place', async () => {
    const second = intended('transfer.gift#2', 'certificate.transfer', ['transfer.gift'], {
      contract: A,
      from: A,
      to: A,
      tokenId: '7',
      before: [],
    });
    const made: JournalEvent = {
      type: 'step-settled',
      at: AT,
      step: 'transfer.gift#2',
      state: 'confirmed',
      grade: 'B',
      outputs: { 'transfer.gift': { transaction: TX } },
    };
    const { recorder } = lineage(transfer, absent, second, made);
    expect(await recheckAbsent(recorder, { abilities: CORE, service: shown })).toEqual([]);
  });

  it('cannot be declared so while reads show its effect', async () => {
    const { recorder, events } = lineage(transfer);
    const attempt = resolvableStep(recorder.state, TRANSFER);
    await expect(
      resolveStep(attempt, said({ decision: 'absent' }), { recorder, abilities: CORE, service: shown }),
    ).rejects.toMatchObject({ code: 'RESOLVE_CONTRADICTED' });
    expect(events).toEqual([]);
  });

  it('is declared so on record of what the reads showed, or that they could not be made', async () => {
    const { recorder, events } = lineage(transfer);
    const attempt = resolvableStep(recorder.state, TRANSFER);
    await resolveStep(attempt, said({ decision: 'absent' }), { recorder, abilities: CORE, service: BLIND });
    const [resolved] = events;
    expect(resolved).toMatchObject({ decision: 'absent', looked: [{ showed: 'unreadable: not here' }] });
  });
});
