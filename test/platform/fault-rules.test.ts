import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.js';
import { fires } from '../../src/platform/faults/decide.js';
import { Replay, Rules } from '../../src/platform/faults/decisions.js';
import { decisionJson, lastSession, readDecisions } from '../../src/platform/faults/decision-text.js';
import { problemText, readRules, ruleJson } from '../../src/platform/faults/rule-reader.js';
import { faultJson, fitsPattern } from '../../src/platform/faults/rules.js';

const SCHEMA = JSON.parse(
  readFileSync(new URL('../../schemas/faults.schema.json', import.meta.url), 'utf8'),
) as object;
const validate = new Ajv({ strict: false }).compile(SCHEMA);

function document(...rules: readonly Json[]): JsonObject {
  return { windlass_faults: 1, rules };
}

function mistakes(value: Json): readonly string[] {
  const read = readRules(value);
  return read.ok ? [] : read.problems.map(problemText);
}

const REQUEST_FAULTS: readonly Json[] = [
  'refuse',
  'status',
  'too_many',
  'drop_before_commit',
  'drop_after_commit',
  'cut_reply',
  { refuse: 404 },
  { refuse: { status: 400, message: 'No.' } },
  { status: { code: 504, committed: true } },
  { too_many: '5s' },
  { too_many: { after: '5s' } },
  { slow: '3s' },
  { slow: { by: '2s', before: true } },
  { cut_reply: {} },
];
const CALLBACK_FAULTS: readonly Json[] = [
  'lost',
  'twice',
  'reordered',
  'forged',
  'wrong_shape',
  { late: '5m' },
  { late: { by: '1d' } },
  { forged: 'stranger' },
  { wrong_shape: { as: 'list' } },
];

const HOSTILE: readonly Json[] = [
  'slow',
  'late',
  'drop',
  {},
  { slow: {} },
  { slow: 3 },
  { slow: '3 s' },
  { slow: '-3s' },
  { refuse: 500 },
  { refuse: { status: 422, message: 7 } },
  { status: 200 },
  { status: '500' },
  { cut_reply: 1 },
  { lost: true },
  { refuse: 404, status: 500 },
  { __proto__: null, constructor: {} },
  { forged: 'both' },
  { late: { by: '1d', extra: 1 } },
  null,
  [],
  7,
];

const VALUES: readonly Json[] = [
  null,
  0,
  1,
  -1,
  1.5,
  2 ** 60,
  true,
  '',
  '*',
  'x',
  'certificate.mint',
  'audit-*',
  'no such',
  '/api/*',
  'POST',
  'x'.repeat(300),
  [],
  [1],
  [0],
  {},
  { by: '1s' },
  '__proto__',
];

const value = fc.constantFrom(...VALUES, ...REQUEST_FAULTS, ...CALLBACK_FAULTS, ...HOSTILE);
const pick = (...values: readonly Json[]) => fc.constantFrom(...values);
const scope = { organisation: pick('org-1', '*'), project: pick('registry', 'r*') };
const optional = { requiredKeys: [] };
const goodWhen = fc.record(
  {
    nth: pick(1, [2, 3]),
    every: pick(2),
    chance: pick(0, 0.5, 1),
    first: pick(3),
    after: pick(4),
  },
  optional,
);
const requestMatch = {
  operation: pick('certificate.mint', 'audit.*'),
  method: pick('POST'),
  path: pick('/api/*'),
  marker: pick('x y'),
  ...scope,
};
const callbackMatch = { of: pick('deployment', 'audit-*'), ...scope };
const about = { name: pick('a', 'b'), when: goodWhen };
const goodRule: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record(
    { ...about, request: fc.record(requestMatch, optional), fault: pick(...REQUEST_FAULTS) },
    { requiredKeys: ['request', 'fault'] },
  ),
  fc.record(
    { ...about, callback: fc.record(callbackMatch, optional), fault: pick(...CALLBACK_FAULTS) },
    { requiredKeys: ['callback', 'fault'] },
  ),
);

/** Places of a rule that may be spoiled, those that are not there too. */
const PLACES = [
  ['name', 'request', 'callback', 'when', 'fault', 'extra'].map((name) => [name]),
  [...Object.keys(requestMatch), 'of'].flatMap((name) => [
    ['request', name],
    ['callback', name],
  ]),
  ['nth', 'every', 'chance', 'first', 'after', 'extra'].map((name) => ['when', name]),
].flat();

const anySeed = fc.option(fc.oneof({ weight: 8, arbitrary: pick(7) }, { weight: 1, arbitrary: value }));

/** A good rule, or one with a member that may be wrong. */
const anyRule = fc
  .tuple(goodRule, fc.option(fc.tuple(fc.constantFrom(...PLACES), value), { freq: 2 }))
  .map(([rule, change]): JsonObject => {
    if (change === null) return rule;
    const [[first = '', second], wrong] = change;
    const within = rule[first];
    if (second === undefined) return { ...rule, [first]: wrong };
    return isJsonObject(within) ? { ...rule, [first]: { ...within, [second]: wrong } } : rule;
  })
  .map((rule) => JSON.parse(JSON.stringify(rule)) as JsonObject);

describe('a document of faults', () => {
  it('is read with every fault by its name, by its main value, and in full', () => {
    const rules = [
      ...REQUEST_FAULTS.map((fault) => ({ request: {}, fault })),
      ...CALLBACK_FAULTS.map((fault) => ({ callback: {}, fault })),
    ];
    expect(mistakes(document(...rules))).toEqual([]);
    expect(validate(document(...rules))).toBe(true);
  });

  it('is refused with every mistake and its place', () => {
    const found = mistakes({
      windlass_faults: 2,
      seed: -1,
      rules: [
        { request: {}, callback: {}, fault: 'refuse' },
        { request: { operation: 'certificate.mnt' }, fault: { slow: { by: '11s', before: true } } },
        { name: 'a', callback: { of: 'mint' }, fault: 'cut_reply', when: { nth: 0, chance: 2 } },
        { name: 'a', request: { path: 'api' }, fault: 'lost', extra: 1 },
      ],
    });
    const places = found.map((text) => text.split(': ')[0]);
    expect(places).toEqual([
      'windlass_faults',
      'seed',
      'rules[0]',
      'rules[1].request.operation',
      'rules[1].fault',
      'rules[2].callback.of',
      'rules[2].when.nth',
      'rules[2].when.chance',
      'rules[2].fault',
      'rules[3].extra',
      'rules[3].request.path',
      'rules[3].fault',
      'rules[3].name',
    ]);
  });

  it.each(HOSTILE.map((fault) => [JSON.stringify(fault), fault] as const))(
    'has no fault %s',
    (_text, fault) => {
      expect(mistakes(document({ request: {}, fault })).length).toBeGreaterThan(0);
      expect(validate(document({ request: {}, fault }))).toBe(false);
    },
  );

  it('is taken by the reader exactly when the schema takes it, but for names and limits that no schema knows', () => {
    const beyond = /No (operation|callback) is called|Another rule|at most \d+s|s late/;
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 2 }), anySeed, (rules, seed) => {
        const whole = { ...document(...rules), ...(seed !== null && { seed }) };
        const found = mistakes(whole).filter((text) => !beyond.test(text));
        if (rules.length > 0) seen[found.length === 0 ? 'taken' : 'refused'] += 1;
        expect({ whole, valid: found.length === 0 }).toEqual({ whole, valid: validate(whole) });
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(300);
  });

  it('is said again by its faults: what is written is what was read', () => {
    const rules = [
      ...REQUEST_FAULTS.map((fault) => ({ request: {}, fault })),
      ...CALLBACK_FAULTS.map((fault) => ({ callback: {}, fault })),
    ];
    const first = readRules(document(...rules));
    if (!first.ok) throw new Error('refused');
    const again = readRules(
      document(...first.rules.rules.map((rule) => ruleJson(rule, faultJson(rule.fault)))),
    );
    expect(again).toEqual(first);
  });
});

describe('a pattern', () => {
  it('fits as its stars allow, in time that grows with the lengths only', () => {
    const toRegExp = (pattern: string) =>
      new RegExp(`^${pattern.replaceAll(/[.]/g, '\\.').replaceAll('*', '.*')}$`, 's');
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (p, t) => fitsPattern(p, t) === toRegExp(p).test(t)),
      { numRuns: 2000 },
    );
    expect(fitsPattern(`${'a*'.repeat(60)}b`, 'a'.repeat(16_000))).toBe(false);
  });
});

describe('when a rule fires', () => {
  const draw = (nth: number, seed = 1) => ({ seed, rule: 'r', nth });
  const hits = (times: Parameters<typeof fires>[0]) =>
    Array.from({ length: 12 }, (_, index) => index + 1).filter((nth) => fires(times, draw(nth)));

  it('is told by number, multiple, first and after, together', () => {
    expect(hits({})).toHaveLength(12);
    expect(hits({ nth: [2, 5] })).toEqual([2, 5]);
    expect(hits({ every: 4 })).toEqual([4, 8, 12]);
    expect(hits({ first: 2 })).toEqual([1, 2]);
    expect(hits({ after: 10 })).toEqual([11, 12]);
    expect(hits({ after: 3, first: 6, every: 3 })).toEqual([6, 9]);
  });

  it('by chance is a question of seed, rule and number alone, and as often as it says', () => {
    const count = (chance: number, seed: number) =>
      Array.from({ length: 4000 }, (_, index) => fires({ chance }, draw(index + 1, seed))).filter(Boolean)
        .length;
    expect(count(0, 1)).toBe(0);
    expect(count(1, 1)).toBe(4000);
    for (const seed of [1, 2, 3]) {
      expect(count(0.25, seed)).toBe(count(0.25, seed));
      expect(Math.abs(count(0.25, seed) - 1000)).toBeLessThan(120);
    }
  });
});

describe('a log', () => {
  const EVENTS = ['audit.tag.create', 'certificate.mint', 'audit.tag.list'].map((of) => ({
    type: 'request' as const,
    org: 'org-1',
    of,
    method: 'POST',
    path: '/',
    project: undefined,
    carries: () => false,
  }));

  function decider(seed: number): Rules {
    const read = readRules(
      document(
        { name: 'a', request: { operation: '*create' }, when: { chance: 0.5 }, fault: 'cut_reply' },
        { name: 'b', request: {}, when: { every: 3 }, fault: { slow: '2s' } },
      ),
    );
    if (!read.ok) throw new Error('refused');
    const rules = new Rules(seed);
    for (const rule of read.rules.rules) rules.add({ ...rule, name: rule.name ?? '' });
    return rules;
  }

  it('makes the same decisions again, however the streams of events are mixed', () => {
    const order = fc.array(fc.nat(2), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(order, fc.nat(1000), fc.nat(1000), (events, seed, turn) => {
        const rules = decider(seed);
        const decided = events.flatMap((index) => rules.next(EVENTS[index]!) ?? []);
        const text = decided.map(
          (one) => `${JSON.stringify({ session: 's', at: 't', ...decisionJson(one) })}\n`,
        );
        const read = readDecisions(lastSession(text.join('')) ?? []);
        if (!read.ok) throw new Error(read.problems.map(problemText).join());
        const replay = new Replay(read.decisions);
        const mixed = [...events].sort((a, b) => ((a + turn) % 3) - ((b + turn) % 3));
        const again = mixed.flatMap((index) => replay.next(EVENTS[index]!) ?? []);
        const sorted = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).sort();
        expect(sorted(again)).toEqual(sorted(decided));
      }),
    );
  });

  it('is read to its last whole line, and its last session only; other texts are none', () => {
    const line = (session: string, nth: number) =>
      `${JSON.stringify({ session, at: 't', stream: 'org-1 request a', nth, rule: 'r', fault: null })}\n`;
    const text = `${line('s1', 1)}${line('s2', 1)}${line('s2', 2)}{"session":"s2","at`;
    expect(lastSession(text)).toEqual([
      { stream: 'org-1 request a', nth: 1, rule: 'r', fault: null },
      { stream: 'org-1 request a', nth: 2, rule: 'r', fault: null },
    ]);
    expect(lastSession('')).toBeUndefined();
    expect(lastSession('windlass_faults: 1\nrules: []\n')).toBeUndefined();
    expect(lastSession('[1]\n')).toBeUndefined();
  });

  it('of another make is refused with every mistake', () => {
    const read = readDecisions([
      { stream: 'x', nth: 0, rule: 'R', fault: 'lost' },
      { stream: 'org-1 callback deployment', nth: 1, rule: 'r', fault: { slow: '1s' } },
    ]);
    expect(read.ok ? [] : read.problems.map(({ path }) => path.join('.'))).toEqual([
      '0.stream',
      '0.nth',
      '0.rule',
      '0.fault',
      '1.fault.slow',
    ]);
  });
});
