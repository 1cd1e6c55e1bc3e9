import picocolors from 'picocolors';

/** Colours by meaning; every one is the identity when colour is off. Meaning never stands in colour alone. */
export interface Palette {
  readonly good: (text: string) => string;
  readonly change: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly accent: (text: string) => string;
}

/** The palette with or without colour. */
export function paletteOf(colour: boolean): Palette {
  const paint = picocolors.createColors(colour);
  return {
    good: paint.green,
    change: paint.yellow,
    bad: paint.red,
    faint: paint.dim,
    strong: paint.bold,
    accent: paint.cyan,
  };
}

/** `1 step`, `2 steps`; thousands are grouped. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}

/** A whole number with a comma between thousands. */
export function grouped(count: number): string {
  return count.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}
