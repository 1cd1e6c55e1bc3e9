const maps = new WeakMap();
/** The resources of a plan by their ids. Made once for each list: a plan may have very many. */
export function resourcesById(resources) {
    const known = maps.get(resources);
    if (known !== undefined)
        return known;
    const made = new Map();
    for (const resource of resources)
        made.set(resource.id, resource);
    maps.set(resources, made);
    return made;
}
