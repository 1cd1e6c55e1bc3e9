import { assert, json, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeFault } from '../../../src/platform/bodies/json-shape.js';

function faultOf(text: string, values?: number, levels?: number) {
  return shapeFault(Buffer.from(text), values, levels);
}

/** Levels and values of parsed JSON, counted another way. */
function measured(value: unknown): { readonly depth: number; readonly values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const inner = Object.values(value).map(measured);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: 1 + Math.max(0, inner.length - 1) + inner.reduce((sum, { values }) => sum + values, 0),
  };
}

describe('the shape of a JSON text', () => {
  it('is what parsing it would show', () => {
    assert(
      property(json({ maxDepth: 6 }), (text) => {
        const { depth, values } = measured(JSON.parse(text));
        expect(faultOf(text, values, depth)).toBeUndefined();
        if (depth > 0) expect(faultOf(text, values, depth - 1)).toBe('depth');
        if (values > 0) expect(faultOf(text, values - 1, 100)).toBe('values');
      }),
    );
  });

  it.each([
    ['[', 64, undefined],
    ['[', 65, 'depth'],
    ['{"a":', 65, 'depth'],
    ['[{"a":', 33, 'depth'],
    ['[', 4_000_000, 'depth'],
  ])('%s, %i times over', (text, times, fault) => {
    expect(faultOf(text.repeat(times))).toBe(fault);
  });

  it('does not count what stands in strings, whatever is escaped there', () => {
    expect(faultOf(JSON.stringify(`${'['.repeat(100)}"\\"${'{'.repeat(100)}\\`))).toBeUndefined();
    expect(faultOf(`["\\\\", ${'['.repeat(70)}`)).toBe('depth');
    expect(faultOf(`"${'\\"'.repeat(500_000)}`)).toBeUndefined();
    expect(faultOf(`"${'\\'.repeat(1_000_001)}"[`, 100, 0)).toBeUndefined();
  });

  it('has no more values than it may', () => {
    expect(faultOf(`[${'1,'.repeat(99_998)}1]`)).toBeUndefined();
    expect(faultOf(`[${'1,'.repeat(2_000_000)}1]`)).toBe('values');
  });
});
