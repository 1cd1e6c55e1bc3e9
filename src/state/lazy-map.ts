/** A map whose values are made when they are asked for, and not kept. */
export abstract class LazyMap<K, V> implements ReadonlyMap<K, V> {
  abstract get size(): number;
  abstract get(key: K): V | undefined;
  abstract has(key: K): boolean;
  abstract keys(): Generator<K, undefined>;
  abstract values(): Generator<V, undefined>;
  abstract entries(): Generator<[K, V], undefined>;

  [Symbol.iterator](): Generator<[K, V], undefined> {
    return this.entries();
  }

  forEach(visit: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }
}
