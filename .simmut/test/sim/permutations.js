/** Every order of a few items. */
export function permutations(items) {
    if (items.length < 2)
        return [items];
    return items.flatMap((item, index) => {
        const rest = [...items.slice(0, index), ...items.slice(index + 1)];
        return permutations(rest).map((order) => [item, ...order]);
    });
}
