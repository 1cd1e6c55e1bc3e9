import { kindOf } from '../model/id.js';
import { resourcesById } from '../model/resource-map.js';
import { decide } from './decide.js';
import { FoundEntries } from './found-entries.js';
import { precedingVersion } from './preceding-version.js';
import { choose } from './selection.js';
import { planSteps } from './steps.js';
/**
 * Computes the change set for a plan.
 *
 * @throws CHANGE_UNKNOWN_ID when a flag names nothing
 */
export function diff(input) {
    const { plan, state } = input;
    const entries = new FoundEntries(plan, state);
    const open = state.openAttempts;
    const strangers = new Set(input.strangers);
    const openFor = new Map(open.flatMap((attempt) => attempt.resources.map((id) => [id, attempt])));
    const openMoved = openMoves(plan, openFor);
    const resources = resourcesById(plan.resources);
    const chosen = choose(plan.resources, entries.ids(), input.selection);
    const decided = new Map();
    const stable = (id) => namedAddress(resources.get(id)) ?? stableAddress(id, decided, entries, chosen.isChosen);
    const trailOf = (id) => decided.get(id)?.trail ?? [];
    for (const resource of plan.resources) {
        if (resource.kind === 'deployment')
            continue;
        const movedFrom = entries.movedFrom(resource.id);
        const entry = entries.get(resource.id);
        const change = decide({
            resource,
            entry,
            observation: input.observations.get(resource.id) ?? NOT_ASKED,
            abilities: input.abilities,
            open: openFor.get(resource.id),
            openAs: openMoved.get(resource.id),
            stranger: strangers.has(resource.id),
            replace: chosen.isReplaced(resource.id),
            stableAddress: stable,
            trailOf,
        });
        const follows = resource.kind === 'version' && entry === undefined
            ? precedingVersion(resource, change.inputs, input)
            : undefined;
        const isMore = movedFrom !== undefined || follows !== undefined;
        const more = { ...(movedFrom !== undefined && { movedFrom }), ...(follows && { follows }) };
        decided.set(resource.id, isMore ? { ...change, ...more } : change);
    }
    const changes = [...decided.values(), ...unplanned(entries, decided, input.forget)].filter(({ id }) => chosen.isChosen(id));
    const blocked = changes.some(({ action }) => action === 'blocked');
    const leftBehind = changes.filter(({ action, undeclared }) => action === 'none' && undeclared);
    return {
        plan: { name: plan.name, file: plan.file, digest: plan.digest },
        environment: plan.environment.name,
        changes,
        steps: blocked ? [] : planSteps(plan.resources, changes, { open, abilities: input.abilities }),
        partial: chosen.partial,
        notices: [...plan.notices, ...leftBehindNotice(leftBehind.map(({ id }) => id))],
    };
}
const NOT_ASKED = { sight: 'not-asked' };
/** New ids of resources that have an open attempt under their old id, with that id. */
function openMoves(plan, openFor) {
    const moves = Object.entries(plan.moved);
    return new Map(moves.filter(([from]) => openFor.has(from)).map(([from, to]) => [to, from]));
}
/** The address that the plan itself gives to a thing which exists already. */
function namedAddress(resource) {
    const inputs = resource?.inputs;
    return inputs !== undefined && 'address' in inputs && typeof inputs.address === 'string'
        ? inputs.address
        : undefined;
}
/** The address of a dependency that keeps it: locked and not made anew by this change set. */
function stableAddress(id, decided, entries, isChosen) {
    const change = decided.get(id);
    const remade = change !== undefined && ['create', 'deploy', 'replace'].includes(change.action) && isChosen(id);
    return remade ? undefined : entries.get(id)?.outputs.address;
}
/** Ids named in a notice. */
const MOST_NAMED = 5;
function leftBehindNotice(ids) {
    if (ids.length === 0)
        return [];
    const rest = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
    const named = `${ids.slice(0, MOST_NAMED).join(', ')}${rest}`;
    return [`in the lockfile, but no longer in the plan: ${named}; --forget takes them out.`];
}
function unplanned(entries, decided, forget) {
    const changes = [];
    // Where all are planned, which is most often so, none has to be named.
    let planned = 0;
    for (const { locked } of decided.values())
        if (locked !== undefined)
            planned += 1;
    if (planned === entries.size)
        return changes;
    for (const id of entries.ids()) {
        const entry = decided.has(id) ? undefined : entries.get(id);
        if (entry !== undefined)
            changes.push(leftBehind(entry, forget));
    }
    return changes;
}
function leftBehind({ id, inputs, outputs }, forget) {
    return {
        id,
        kind: kindOf(id),
        action: forget ? 'forget' : 'none',
        reason: forget
            ? 'is no longer in the plan; nothing remote is touched'
            : 'is no longer in the plan; --forget takes it out of the lockfile',
        irreversible: false,
        fields: [],
        drift: [],
        remote: 'not-asked',
        inputs,
        locked: outputs,
        undeclared: true,
        dependsOn: [],
    };
}
