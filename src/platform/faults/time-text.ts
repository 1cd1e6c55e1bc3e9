const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a time such as `250ms`, `3s`, `15m`, `2h` or `1d`; undefined when the text is none. */
export function millisecondsOf(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const size = UNITS[unit];
  return size === undefined ? undefined : Number(digits) * size;
}
