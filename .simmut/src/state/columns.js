/** A column of numbers with room for an index: itself, or a copy twice as long. */
export function roomFor(column, index) {
    if (index < column.length)
        return column;
    const larger = new column.constructor(2 * index);
    larger.set(column);
    return larger;
}
