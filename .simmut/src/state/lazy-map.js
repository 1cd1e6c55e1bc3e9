/** A map whose values are made when they are asked for, and not kept. */
export class LazyMap {
    [Symbol.iterator]() {
        return this.entries();
    }
    forEach(visit) {
        for (const [key, value] of this.entries())
            visit(value, key, this);
    }
}
