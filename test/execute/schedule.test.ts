import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlannedStep } from '../../src/model/change.js';
import type { ResourceId } from '../../src/model/id.js';
import { Schedule } from '../../src/execute/schedule.js';

function step(name: string, over: Partial<PlannedStep> = {}): PlannedStep {
  const id: ResourceId = `category.${name}`;
  return { id, resources: [id], operation: 'category.create', dependsOn: [], lane: 'lane', ...over };
}

function ids(steps: readonly PlannedStep[]): readonly string[] {
  return steps.map(({ id }) => id.slice('category.'.length));
}

const NOTHING = new Set<ResourceId>();

describe('a lane', () => {
  test('sends in plan order, the next when the last is answered', () => {
    const [a, b] = [step('a'), step('b')];
    const schedule = new Schedule([a, b], 2);
    expect(ids(schedule.take())).toEqual(['a']);
    expect(schedule.take()).toEqual([]);
    schedule.answered(a);
    expect(ids(schedule.take())).toEqual(['b']);
  });

  test('waits for a step whose answer was lost, so that it keeps its place, unless any order will do', () => {
    const [a, b] = [step('a'), step('b')];
    const schedule = new Schedule([a, b], 9);
    schedule.take();
    schedule.answered(a, true);
    expect(schedule.take()).toEqual([]);
    schedule.again(a);
    expect(ids(schedule.take())).toEqual(['a']);
    schedule.answered(a);
    expect(ids(schedule.take())).toEqual(['b']);
    const hasty = new Schedule([a, b], 9, { sendOrder: 'any' });
    hasty.take();
    hasty.answered(a, true);
    expect(hasty.take()).toEqual([]);
  });

  test('sends nothing more when its first step did not reach the service', () => {
    const steps = ['a', 'b', 'c'].map((name) => step(name));
    const schedule = new Schedule(steps, 9);
    schedule.take();
    schedule.answered(steps[0]!);
    expect(schedule.failed(steps[0]!, 'unreachable', NOTHING)).toEqual(steps.slice(1));
    expect(schedule.take()).toEqual([]);
  });

  test('lets others go on after a failed step, unless the first failure is to end the run', () => {
    const [a, b] = [step('a', { lane: '1' }), step('b', { lane: '2' })];
    const more = [step('c', { lane: '2' }), step('d', { lane: '3', dependsOn: [b.id] })];
    const patient = new Schedule([a, b, ...more], 1);
    patient.take();
    expect(patient.failed(a, 'failed', NOTHING)).toEqual([]);
    const hasty = new Schedule([a, b, ...more], 1, { failFast: true });
    expect(ids(hasty.take())).toEqual(['a', 'b']);
    expect(ids(hasty.failed(a, 'failed', NOTHING))).toEqual(['c', 'd']);
    hasty.confirmed(b);
    expect(hasty.take()).toEqual([]);
  });

  test('does not wait for answers where any order will do, and begins as many ahead as may be in flight', () => {
    const steps = ['a', 'b', 'c', 'd', 'e'].map((name) => step(name));
    const [a, b, c, d] = steps as [PlannedStep, PlannedStep, PlannedStep, PlannedStep];
    const schedule = new Schedule(steps, 2, { sendOrder: 'any' });
    expect(ids(schedule.take())).toEqual(['a', 'b', 'c', 'd']);
    expect([a, b, c].map((item) => schedule.enter(item, false))).toEqual([true, true, false]);
    expect(schedule.enter(d, true)).toBe(false);
    expect(schedule.enter(a, false)).toBe(true);
    expect(schedule.admit()).toEqual([]);
    schedule.confirmed(a);
    expect(schedule.admit()).toEqual([d]);
    expect(schedule.admit()).toEqual([]);
    expect(ids(schedule.take())).toEqual(['e']);
    expect(schedule.again(b)).toBe(true);
    expect(schedule.admit()).toEqual([c]);
  });

  test('begins nothing ahead where one may be in flight, and nothing beside an exclusive step', () => {
    const single = new Schedule([step('a'), step('b')], 1, { sendOrder: 'any' });
    expect(ids(single.take())).toEqual(['a']);
    const alone = new Schedule([step('a', { exclusive: true }), step('b')], 9, { sendOrder: 'any' });
    expect(ids(alone.take())).toEqual(['a']);
  });

  test('lets what waits go when it is dropped, without a place in flight', () => {
    const steps = ['a', 'b', 'c', 'd'].map((name) => step(name));
    const [a, b, c, d] = steps as [PlannedStep, PlannedStep, PlannedStep, PlannedStep];
    const schedule = new Schedule(steps, 2, { sendOrder: 'any' });
    schedule.take();
    for (const item of steps) schedule.enter(item, false);
    expect(schedule.failed(a, 'unreachable', NOTHING)).toEqual([]);
    expect([c, d].map((item) => schedule.culpritOf(item))).toEqual([a, a]);
    expect(schedule.culpritOf(b)).toBeUndefined();
    expect(schedule.admit()).toEqual([c, d]);
  });

  test('gives the place of a step that is left out to the next', () => {
    const steps = ['a', 'b', 'c'].map((name) => step(name));
    const schedule = new Schedule(steps, 1);
    const [a] = schedule.take();
    schedule.left(a!);
    expect(ids(schedule.take())).toEqual(['b']);
  });

  test('has no more unsettled than it may', () => {
    const steps = ['a', 'b', 'c'].map((name) => step(name));
    const schedule = new Schedule(steps, 2);
    for (const expected of ['a', 'b']) {
      const [taken] = schedule.take();
      expect(taken?.id).toBe(`category.${expected}`);
      schedule.answered(taken!);
    }
    expect(schedule.take()).toEqual([]);
    schedule.confirmed(steps[0]!);
    expect(ids(schedule.take())).toEqual(['c']);
  });

  test('keeps plan order although a later step is ready sooner', () => {
    const other = step('other', { lane: 'elsewhere' });
    const schedule = new Schedule([other, step('needy', { dependsOn: [other.id] }), step('ready')], 9);
    expect(ids(schedule.take())).toEqual(['other']);
    schedule.answered(other);
    expect(schedule.take()).toEqual([]);
    schedule.confirmed(other);
    expect(ids(schedule.take())).toEqual(['needy']);
  });

  test('does not wait for other lanes', () => {
    const schedule = new Schedule([step('a', { lane: '1' }), step('b', { lane: '2' })], 1);
    expect(ids(schedule.take())).toEqual(['a', 'b']);
  });

  test('lets an exclusive step go alone', () => {
    const steps = [step('a'), step('alone', { exclusive: true }), step('c')];
    const schedule = new Schedule(steps, 9);
    const [a] = schedule.take();
    schedule.answered(a!);
    expect(schedule.take()).toEqual([]);
    schedule.confirmed(a!);
    const [alone] = schedule.take();
    schedule.answered(alone!);
    expect(schedule.take()).toEqual([]);
    schedule.confirmed(alone!);
    expect(ids(schedule.take())).toEqual(['c']);
  });
});

describe('a step that did not succeed', () => {
  const a = step('a', { resources: ['category.a', 'category.a2'] });
  const needs = step('needs', { dependsOn: ['category.a'] });
  const needsBoth = step('both', { dependsOn: ['category.a', 'category.a2'], lane: '2' });
  const further = step('further', { dependsOn: ['category.needs'], lane: '3' });
  const free = step('free', { lane: '4' });

  test('takes along everything that needs it, however far, and nothing else', () => {
    const schedule = new Schedule([a, needs, needsBoth, further, free], 2);
    expect(ids(schedule.take())).toEqual(['a', 'free']);
    schedule.answered(a);
    expect(new Set(ids(schedule.failed(a, 'failed', NOTHING)))).toEqual(
      new Set(['needs', 'both', 'further']),
    );
    expect(schedule.take()).toEqual([]);
  });

  test('leaves what needs only the part of it that exists', () => {
    const schedule = new Schedule([a, needs, needsBoth, further], 2);
    schedule.take();
    schedule.answered(a);
    expect(ids(schedule.failed(a, 'failed', new Set(['category.a'])))).toEqual(['both']);
    expect(ids(schedule.take())).toEqual(['needs']);
  });

  test('takes the rest of its lane along when its outcome is unknown and the lane has one write at a time', () => {
    for (const [maxInFlight, dropped] of [
      [1, ['next']],
      [2, []],
    ] as const) {
      const next = step('next');
      const schedule = new Schedule([a, next, free], maxInFlight);
      schedule.take();
      schedule.answered(a);
      expect(ids(schedule.failed(a, 'undecided', NOTHING))).toEqual(dropped);
    }
  });
});

describe('a row that the service refuses for the whole batch', () => {
  const row = (batch: string, key: number): PlannedStep =>
    step('', { id: `certificate.${batch}[${key}]`, resources: [`certificate.${batch}[${key}]`] });
  const rows = [row('class', 1), row('other', 1), row('class', 2), row('class', 3), row('other', 2)];

  test('takes the rest of its batch along, and nothing else of the lane', () => {
    const onwards = step('onwards', { dependsOn: ['certificate.class[2]'], lane: 'another' });
    const schedule = new Schedule([...rows, onwards], 9);
    expect(schedule.take()).toEqual([rows[0]]);
    schedule.answered(rows[0]!);
    expect(schedule.failed(rows[0]!, 'barred', NOTHING)).toEqual([rows[2], rows[3], onwards]);
    expect(schedule.culpritOf(rows[3]!)).toBe(rows[0]);
    expect(schedule.culpritOf(rows[4]!)).toBeUndefined();
    expect(schedule.take()).toEqual([rows[1]]);
    schedule.answered(rows[1]!);
    expect(schedule.take()).toEqual([rows[4]]);
  });

  test('names itself for the rows that have begun, so that they are not sent either', () => {
    const more = [...rows, row('class', 4)];
    const schedule = new Schedule(more, 2, { sendOrder: 'any' });
    expect(schedule.take()).toEqual(rows.slice(0, 4));
    expect(schedule.failed(rows[0]!, 'barred', NOTHING)).toEqual([more[5]]);
    expect(schedule.culpritOf(rows[2]!)).toBe(rows[0]);
    expect(schedule.culpritOf(rows[1]!)).toBeUndefined();
  });
});

describe('a step that an earlier run began', () => {
  test('holds its place without being sent, and lets its dependents begin when it is confirmed', () => {
    const [a, b] = [step('a'), step('b', { dependsOn: ['category.a'] })];
    const schedule = new Schedule([a, b, step('c')], 1);
    schedule.resume(a);
    expect(schedule.take()).toEqual([]);
    schedule.confirmed(a);
    expect(ids(schedule.take())).toEqual(['b']);
  });

  test('takes no other step out of its lane, even when it is resumed from the middle', () => {
    const steps = ['a', 'b', 'c'].map((name) => step(name));
    const schedule = new Schedule(steps, 9);
    schedule.resume(steps[1]!);
    const taken: string[] = [];
    for (let [next] = schedule.take(); next !== undefined; [next] = schedule.take()) {
      taken.push(...ids([next]));
      schedule.answered(next);
    }
    expect(taken).toEqual(['a', 'c']);
  });

  test('goes to the front of its lane when it had no effect', () => {
    const steps = ['a', 'b'].map((name) => step(name));
    const schedule = new Schedule(steps, 1);
    schedule.resume(steps[0]!);
    expect(schedule.again(steps[0]!)).toBe(true);
    expect(ids(schedule.take())).toEqual(['a']);
    schedule.answered(steps[0]!);
    schedule.confirmed(steps[0]!);
    expect(ids(schedule.take())).toEqual(['b']);
  });

  test('is not dropped while it is looked for, but does not go again without what it needs', () => {
    const [a, b] = [step('a'), step('b', { dependsOn: ['category.a'], lane: '2' })];
    const schedule = new Schedule([a, b], 1);
    schedule.resume(b);
    schedule.take();
    schedule.answered(a);
    expect(schedule.failed(a, 'failed', NOTHING)).toEqual([]);
    expect(schedule.again(b)).toBe(false);
  });
});

/** Steps that need some of those before them, in a few lanes; and how each ends. */
const SCHEDULES = fc.array(
  fc.record({
    lane: fc.constantFrom('1', '2', '3'),
    needs: fc.array(fc.nat(), { maxLength: 2 }),
    end: fc.constantFrom('confirmed', 'failed', 'undecided', 'again'),
    resumed: fc.boolean(),
    exclusive: fc.boolean(),
  }),
  { maxLength: 12 },
);

describe('any schedule', () => {
  test('sends one at a time in each lane and ends with every step taken or dropped', () => {
    fc.assert(
      fc.property(SCHEDULES, fc.integer({ min: 1, max: 3 }), (shapes, maxInFlight) => {
        const steps = shapes.map(({ lane, needs, exclusive }, index) => {
          const dependsOn = new Set(
            needs.flatMap((pick) => (index === 0 ? [] : [`category.${pick % index}` as const])),
          );
          return step(String(index), {
            lane,
            dependsOn: [...dependsOn],
            ...(exclusive && { exclusive: true as const }),
          });
        });
        const schedule = new Schedule(steps, maxInFlight);
        const gone = new Set<PlannedStep>();
        const sending: PlannedStep[] = [];
        const unsettled: PlannedStep[] = [];
        const again = new Set<PlannedStep>();
        // A resumed step was begun when all that it needs was there.
        for (const [index, item] of steps.entries())
          if (shapes[index]?.resumed === true && item.dependsOn.length === 0) {
            schedule.resume(item);
            unsettled.push(item);
          }
        const end = (item: PlannedStep): void => {
          const how = shapes[steps.indexOf(item)]?.end;
          if (how === 'again' && !again.has(item) && schedule.again(item)) {
            again.add(item);
            return;
          }
          gone.add(item);
          if (how === 'confirmed' || how === 'again') return schedule.confirmed(item);
          for (const dropped of schedule.failed(item, how === 'undecided' ? how : 'failed', NOTHING))
            gone.add(dropped);
        };
        for (let turn = 0; turn < 200; turn += 1) {
          for (const taken of schedule.take()) {
            expect(gone).not.toContain(taken);
            expect(sending.map(({ lane }) => lane)).not.toContain(taken.lane);
            for (const id of taken.dependsOn) expect(gone).toContain(steps.find((other) => other.id === id));
            const beside = [...unsettled, ...sending].filter(({ lane }) => lane === taken.lane);
            if (taken.exclusive === true) expect(beside).toEqual([]);
            expect(beside.filter(({ exclusive }) => exclusive === true)).toEqual([]);
            sending.push(taken);
          }
          const answered = sending.shift();
          if (answered !== undefined) {
            schedule.answered(answered);
            unsettled.push(answered);
          }
          const settled = turn % 2 === 0 ? unsettled.shift() : undefined;
          if (settled !== undefined) end(settled);
        }
        expect(gone).toEqual(new Set(steps));
      }),
      { numRuns: 300 },
    );
  });
});

describe('any schedule in any order', () => {
  test('has no more in flight than it may, and lets everything through or drops it', () => {
    fc.assert(
      fc.property(SCHEDULES, fc.integer({ min: 1, max: 3 }), (shapes, maxInFlight) => {
        const steps = shapes.map(({ lane, exclusive }, index) =>
          step(String(index), { lane, ...(exclusive && { exclusive: true as const }) }),
        );
        const schedule = new Schedule(steps, maxInFlight, { sendOrder: 'any' });
        const [begun, inFlight, gone] = [
          new Set<PlannedStep>(),
          new Set<PlannedStep>(),
          new Set<PlannedStep>(),
        ];
        const again = new Set<PlannedStep>();
        const inLane = (among: Set<PlannedStep>, { lane }: PlannedStep): number =>
          [...among].filter((other) => other.lane === lane).length;
        const fly = (item: PlannedStep): void => {
          begun.delete(item);
          if (schedule.culpritOf(item) === undefined) inFlight.add(item);
          else {
            schedule.left(item);
            gone.add(item);
          }
        };
        const end = (item: PlannedStep): void => {
          const how = shapes[steps.indexOf(item)]?.end;
          inFlight.delete(item);
          if (how === 'again' && !again.has(item) && schedule.again(item)) return void again.add(item);
          gone.add(item);
          if (how !== 'failed') return schedule.confirmed(item);
          for (const dropped of schedule.failed(item, 'unreachable', NOTHING)) gone.add(dropped);
        };
        for (let turn = 0; turn < 60; turn += 1) {
          for (const item of schedule.admit()) fly(item);
          for (const item of schedule.take()) {
            begun.add(item);
            const ahead = maxInFlight > 1 ? maxInFlight : 0;
            expect(inLane(begun, item) + inLane(inFlight, item)).toBeLessThanOrEqual(maxInFlight + ahead);
            if (schedule.enter(item, again.has(item))) fly(item);
          }
          for (const item of inFlight) expect(inLane(inFlight, item)).toBeLessThanOrEqual(maxInFlight);
          const [ended] = turn % 2 === 0 ? inFlight : [...inFlight].toReversed();
          if (ended !== undefined) end(ended);
        }
        expect(gone).toEqual(new Set(steps));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a long lane', () => {
  test('drops and takes tens of thousands of steps', () => {
    const first = step('first', { lane: 'other' });
    const rest = Array.from({ length: 150_000 }, (_, index) =>
      step(String(index), { dependsOn: [first.id] }),
    );
    const schedule = new Schedule([first, ...rest], 1);
    expect(schedule.take()).toEqual([first]);
    schedule.answered(first);
    expect(schedule.failed(first, 'undecided', NOTHING)).toHaveLength(rest.length);
    expect(schedule.take()).toEqual([]);
  });
});
