import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contradictedByCallback } from '../../src/execute/repeats.js';
import { digestOf, digestOfBytes, isSameJson } from '../../src/model/canonical.js';
import { WindlassError } from '../../src/model/error.js';
import type { ResourceId, StepId } from '../../src/model/id.js';
import { textMember, type Json, type JsonObject } from '../../src/model/json.js';
import { decodeJournal, encodeEvents, foldJournal } from '../../src/state/codec.js';
import type { JournalEvent } from '../../src/state/event.js';
import { JournalReader } from '../../src/state/journal-reader.js';
import { renamedEntry, type LockEntry } from '../../src/state/lock.js';
import { hasInputs, inputText } from '../../src/state/packed-entry.js';
import { LineageState } from '../../src/state/project.js';
import { CHAIN_START } from '../../src/state/record.js';
import { adopted, AT, everyEvent, intended, settled, started } from './journal-events.js';

const LATER = '2026-11-21T09:30:59.123Z';
const ADDRESS = `0x${'ab'.repeat(20)}`;
const OTHER_HASH = `0x${'0e'.repeat(32)}`;
const HASH = `0x${'0f'.repeat(32)}`;

const TEXTS = fc.constantFrom(
  'Ann',
  '',
  'Zoë 日本',
  'a "quoted" \\ word\n',
  'x'.repeat(200),
  ADDRESS,
  ADDRESS.toUpperCase(),
  HASH,
  digestOf(1),
  LATER,
  '2026-11-21T09:30:59.12Z',
  '\ud800',
);
/** Texts that are nearly like one another: what one is packed as, the next must not be taken for. */
const LIKE = fc.constantFrom(
  ...[HASH, ADDRESS, digestOf(1), LATER, 'a lane of some length'].flatMap((text) => [
    text,
    text,
    text.slice(0, -1),
    `${text}0`,
    `${text.slice(0, -1)}g`,
    `${text.slice(0, -1)}"`,
    text.toUpperCase(),
    text.replace('a', '\\'),
  ]),
  'tag.1',
  'tag.1#1',
  '',
);
const NUMBERS = fc.constantFrom(0, 7, 123_456_789_012_345, 1e21, -1, 0.5);
const VALUES: fc.Arbitrary<Json> = fc.oneof(
  TEXTS,
  NUMBERS,
  fc.constantFrom(null, true, []),
  fc.record({
    name: TEXTS,
    attributes: fc.array(fc.record({ trait: TEXTS, value: TEXTS }), { maxLength: 2 }),
  }),
  fc.record({ to: fc.constant({ $placeholder: [{ ref: 'tag.c' }] }) }),
);
const KEYS = fc.constantFrom('a', 'b', 'c', 'a"b', 'é', '\ud800', '\udfff', 'x#2', 'long'.repeat(50));
const IDS = KEYS.map((key): ResourceId => `certificate.class[${key}]`);

/** What one step may leave behind, in order; most steps leave what a plain one does. */
function eventsOfStep(id: ResourceId, attempt: number, told: readonly Json[]): readonly JournalEvent[] {
  const step: StepId = `${id}#${attempt}`;
  const [inputs = null, facts = null, message = null] = told;
  const address = typeof message === 'string' ? { address: message } : {};
  const hashed = attempt === 1 ? { transactionHash: HASH } : {};
  return [
    intended(step, { [id]: inputs }, { before: facts, at: LATER, lane: '0xlane' }),
    { type: 'step-answered', at: LATER, step, outcome: 'accepted', status: 200, ids: { hash: HASH } },
    {
      type: 'step-evidenced',
      at: LATER,
      step,
      via: 'callback',
      claim: 'success',
      facts: { facts, ...hashed },
    },
    settled(step, { [id]: { ...address, transaction: HASH, block: 7 } }, { at: LATER }),
  ];
}

const STEPS = fc.tuple(IDS, fc.integer({ min: 1, max: 2 }), fc.array(VALUES, { maxLength: 3 }));

/** Something that is not plain, about a step that may have been plain until then. */
const ODDITIES: fc.Arbitrary<JournalEvent> = STEPS.chain(([id, attempt, told]) => {
  const step: StepId = `${id}#${attempt}`;
  const [value = null] = told;
  return fc.constantFrom<JournalEvent>(
    { type: 'step-answered', at: LATER, step, outcome: 'rejected', status: 400, message: 'no' },
    { type: 'step-evidenced', at: LATER, step, via: 'read', claim: 'failed', facts: { value } },
    {
      type: 'step-evidenced',
      at: LATER,
      step,
      via: 'callback',
      claim: 'success',
      facts: { facts: value, transactionHash: OTHER_HASH },
    },
    { type: 'step-duplicated', at: LATER, step, facts: { value } },
    settled(step, {}, { state: 'failed', at: LATER }),
    settled(step, {}, { state: 'undecided', at: LATER }),
    settled(step, { [id]: { address: ADDRESS } }, { grade: 'A' }),
    settled(step, { [id]: {}, 'tag.c': { address: ADDRESS } }),
    { type: 'step-resolved', at: LATER, step, decision: 'absent', statement: 's', by: 'ann' },
    { type: 'step-resolved', at: LATER, step, decision: 'adopt', outputs: {}, statement: 's', by: 'ann' },
    intended(step, { [id]: value, 'tag.c': {} }),
    intended(step, { [id]: value }, { token: digestOf('one token for all') }),
    intended(step, { 'tag.c': value }),
    adopted(id, { address: ADDRESS }, { step }),
    { type: 'resource-moved', at: LATER, from: id, to: 'certificate.class[moved]' },
    { type: 'resource-forgotten', at: LATER, id },
    { type: 'run-ended', at: LATER, run: 'r', result: 'done' },
  );
});

/** A journal of steps whose events interleave, with oddities among them; not all of them fold. */
const JOURNALS = fc
  .tuple(
    fc.array(STEPS, { maxLength: 8 }),
    fc.array(ODDITIES, { maxLength: 4 }),
    fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
  )
  .map(([steps, odd, choices]) => {
    const queues = [...steps.map((step) => [...eventsOfStep(...step)]), [...odd]];
    const events: JournalEvent[] = [started()];
    for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
      const open = queues.filter((queue) => queue.length > 0);
      const next = open[(choices[turn % choices.length] ?? 0) % open.length]?.shift();
      if (next !== undefined) events.push(next);
    }
    return events;
  });

/** An entry with all that it tells, as an object of its own. */
function told(entry: LockEntry | undefined): LockEntry | undefined {
  return entry && renamedEntry(entry, entry.id);
}

/** Everything that a state tells, in plain objects. */
function toldBy(state: LineageState): unknown {
  const ids = [...(state.lock?.entries.keys() ?? []), 'certificate.class[a]' as const, 'tag.c' as const];
  return {
    lock: state.lock && {
      ...state.lock,
      entries: [...state.lock.entries].map(([id, entry]) => [id, told(entry)]),
    },
    attempts: [...state.attempts],
    byStep: [...state.attempts.keys()].map((step) => [state.attempts.has(step), state.attempts.get(step)]),
    open: state.openAttempts.map(({ step }) => step).toSorted(),
    fresh: [...state.freshlySettled()].map(({ step }) => step),
    contradicted: contradictedByCallback(state.unexplainedAttempts()).map(({ step }) => step),
    runs: state.runs,
    byId: ids.map((id) => [state.lastAttempt(id), state.nextStep(id), told(state.lock?.entries.get(id))]),
    byToken: [...state.attempts.values()].map(({ token }) => state.stepOfToken(token)),
  };
}

function outcome(fold: () => LineageState): unknown {
  try {
    return toldBy(fold());
  } catch (thrown) {
    if (thrown instanceof WindlassError) return thrown.code;
    throw thrown;
  }
}

describe('a journal that is folded from its text', () => {
  it('amounts to what its events amount to, whatever they are and however they interleave', () => {
    fc.assert(
      fc.property(JOURNALS, (events) => {
        const bytes = Buffer.from(encodeEvents(CHAIN_START, events).text);
        const fromText = outcome(() => foldJournal(bytes).state);
        expect(fromText).toEqual(outcome(() => new LineageState(decodeJournal(bytes).events)));
      }),
      { numRuns: 300 },
    );
  });

  it('tells which inputs an entry has, and its texts among them, as its objects would', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(VALUES, VALUES), { minLength: 1, maxLength: 8 }), (told) => {
        const events = told.flatMap(([first, second], index): readonly JournalEvent[] => {
          const id: ResourceId = `tag.${index}`;
          const inputs = index % 2 === 0 ? { first, second } : { first, second, to: ADDRESS };
          return [intended(`${id}#1`, { [id]: inputs }), settled(`${id}#1`, { [id]: { address: HASH } })];
        });
        const { state } = foldJournal(Buffer.from(encodeEvents(CHAIN_START, [started(), ...events]).text));
        const entries = [...(state.lock?.entries.values() ?? [])];
        const plain = [...(new LineageState([started(), ...events]).lock?.entries.values() ?? [])];
        expect(entries.map((entry) => plain.map(({ inputs }) => hasInputs(entry, inputs)))).toEqual(
          plain.map(({ inputs: own }) => plain.map(({ inputs }) => isSameJson(own, inputs))),
        );
        for (const name of ['first', 'to', 'none'])
          expect(entries.map((entry) => inputText(entry, name))).toEqual(
            plain.map(({ inputs }) => textMember(inputs, name)),
          );
      }),
      { numRuns: 200 },
    );
  });

  it('amounts to the same whatever stood in the places of its values before', () => {
    const token = fc.constantFrom('one', 'two', undefined);
    fc.assert(
      fc.property(fc.array(fc.tuple(LIKE, LIKE, token), { minLength: 2, maxLength: 24 }), (told) => {
        const steps = told.map(([name, hash, shared], index): readonly JournalEvent[] => {
          const id: ResourceId = `tag.${index}`;
          const own = digestOf(shared ?? index);
          return [
            intended(
              `${id}#1`,
              { [id]: { name, hash } },
              { token: own, lane: name, request: digestOf(name) },
            ),
            settled(`${id}#1`, { [id]: { transaction: hash } }, { at: index % 3 === 0 ? LATER : AT }),
          ];
        });
        const bytes = Buffer.from(encodeEvents(CHAIN_START, [started(), ...steps.flat()]).text);
        const state = new LineageState(decodeJournal(bytes).events);
        expect(toldBy(foldJournal(bytes).state)).toEqual(toldBy(state));
      }),
      { numRuns: 200 },
    );
  });

  it('amounts to the same whatever the pieces that it is read in', () => {
    const events = [
      started(),
      ...['a', 'b', 'c', 'd'].flatMap((key) => eventsOfStep(`certificate.b[${key}]`, 1, ['x'])),
    ];
    const bytes = Buffer.from(encodeEvents(CHAIN_START, events).text);
    const whole = toldBy(foldJournal(bytes).state);
    for (const size of [1, 7, 100, 1000]) {
      const state = new LineageState();
      const reader = new JournalReader(state);
      for (let from = 0; from < bytes.length; from += size) reader.read(bytes.subarray(from, from + size));
      expect(toldBy(state)).toEqual(whole);
      expect(reader.validBytes).toBe(bytes.length);
    }
  });

  it('goes on with events of the run as if it had been objects all along', () => {
    const plain = ['a', 'b', 'c'].flatMap((key) => eventsOfStep(`certificate.b[${key}]`, 1, ['x']));
    const late: readonly JournalEvent[] = [
      { type: 'step-duplicated', at: LATER, step: 'certificate.b[b]#1', facts: { address: ADDRESS } },
      ...eventsOfStep('certificate.b[b]', 2, ['y']),
      ...everyEvent().slice(1),
    ];
    const state = foldJournal(Buffer.from(encodeEvents(CHAIN_START, [started(), ...plain]).text)).state;
    for (const event of late) state.apply(event);
    expect(toldBy(state)).toEqual(toldBy(new LineageState([started(), ...plain, ...late])));
  });

  it('keeps a member whose name reaches the prototype elsewhere as any other', () => {
    const inputs = JSON.parse('{"__proto__":{"x":"y"},"constructor":{"toString":[]}}') as Json;
    const events = ['a', 'b', 'c'].flatMap((key): readonly JournalEvent[] => {
      const id: ResourceId = `certificate.b[${key}]`;
      return [intended(`${id}#1`, { [id]: inputs }), settled(`${id}#1`, { [id]: inputs as JsonObject })];
    });
    const distinct = events.map((event, index) => ({ ...event, token: digestOf(index) }) as JournalEvent);
    const { state } = foldJournal(Buffer.from(encodeEvents(CHAIN_START, [started(), ...distinct]).text));
    const texts = [...state.attempts.values()].flatMap((attempt) =>
      Object.values({ ...attempt.inputs, settled: Object.values(attempt.settled?.outputs ?? {}) }),
    );
    expect(texts.map((value) => JSON.stringify(value))).toEqual(
      Array.from({ length: 3 }, () => [JSON.stringify(inputs), JSON.stringify([inputs])]).flat(),
    );
  });

  it('is refused at the byte of the bad record, however far in, with the hash chain right around it', () => {
    const plain = Array.from({ length: 50 }, (_, index) =>
      eventsOfStep(`certificate.b[${index}]`, 1, ['x']),
    ).flat();
    const good = encodeEvents(CHAIN_START, [started(), ...plain]);
    const place = Buffer.byteLength(good.text);
    const bad = { ...plain[0], step: 7 } as unknown as JournalEvent;
    const text = good.text + encodeEvents(good.hash, [bad]).text;
    expect(() => foldJournal(Buffer.from(text))).toThrow(`byte ${place} `);
    const broken = Buffer.from(good.text);
    const at = good.text.indexOf('certificate.b[31]');
    broken[at + 3] = 0x61;
    const start = good.text.lastIndexOf('\n', at) + 1;
    expect(() => foldJournal(broken)).toThrow(`byte ${start} `);
  });

  it('is refused for a control character or an escape cut short in a value that is otherwise like those before', () => {
    const event = (name: string): string =>
      JSON.stringify(intended(`tag.${name}#1`, { [`tag.${name}`]: { name } }, { token: digestOf(name) }));
    const forge = (json: string): Buffer => {
      const begun = encodeEvents(CHAIN_START, [
        started(),
        ...['a', 'b'].map((name) => JSON.parse(event(name)) as JournalEvent),
      ]);
      return Buffer.from(begun.text + forgedRecord(begun.hash, json));
    };
    expect(foldJournal(forge(event('c'))).state.attempts.size).toBe(3);
    for (const name of ['c\\', 'c\u0001', 'c"'])
      expect(() => foldJournal(forge(event('c').replaceAll('tag.c', `tag.${name}`)))).toThrow(
        expect.objectContaining({ code: 'JOURNAL_CORRUPT' }),
      );
  });
});

/** A record around any text, with the hash that belongs to it. */
function forgedRecord(before: string, json: string): string {
  return `{"h":"${digestOfBytes(before + json).slice(7, 39)}","e":${json}}\n`;
}
