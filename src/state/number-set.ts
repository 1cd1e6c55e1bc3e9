/** A few numbers out of many. */
export class NumberSet {
  readonly #numbers = new Set<number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** Puts a number in, or takes it out. */
  include(number: number, wanted: boolean): void {
    if (wanted) this.#numbers.add(number);
    else this.#numbers.delete(number);
  }

  /** The smallest first. */
  ascending(): readonly number[] {
    return [...this.#numbers].sort((a, b) => a - b);
  }

  /** All of this and another, which has none of them, the smallest first. */
  ascendingWith(other: NumberSet): readonly number[] {
    return [...this.#numbers, ...other.#numbers].sort((a, b) => a - b);
  }
}
