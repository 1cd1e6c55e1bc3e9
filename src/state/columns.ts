type Column = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** A column of numbers with room for an index: itself, or a copy twice as long. */
export function roomFor<T extends Column>(column: T, index: number): T {
  if (index < column.length) return column;
  const larger = new (column.constructor as new (length: number) => T)(2 * index);
  larger.set(column);
  return larger;
}
