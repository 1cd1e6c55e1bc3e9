/** What an attempt named. */
export function traceOf({ step, resources, answered, settled, resolved, duplicates }) {
    const told = duplicates.map(({ facts }) => facts['outputs']);
    const made = [settled?.outputs, resolved?.outputs, ...told];
    return { step, resource: resources[0], ids: answered?.ids, made };
}
