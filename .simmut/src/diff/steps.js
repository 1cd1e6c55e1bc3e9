import { invariant } from '../model/error.js';
import { parseStepId } from '../model/id.js';
import { kindNamed } from '../kinds/registry.js';
import { groupRequests } from './requests.js';
/**
 * The writes that changes ask for, dependencies first, otherwise in plan order.
 *
 * Contracts share a request where they can (`requests.ts`), unless that would make steps wait for each other. An
 * open attempt keeps the resources it was sent with: it is continued, never regrouped.
 */
export function planSteps(resources, changes, { open, abilities }) {
    const actions = new Map();
    for (const { id, action } of changes)
        if (writes(action))
            actions.set(id, action);
    const active = resources.filter(({ id }) => actions.has(id));
    const activeById = new Map(active.map((resource) => [resource.id, resource]));
    const continued = open.map((attempt) => draftOfAttempt(attempt, activeById));
    const taken = new Set(open.flatMap((attempt) => attempt.resources));
    const fresh = active.filter(({ id }) => !taken.has(id));
    const alone = new Set(resources.filter(isSingle).map(({ id }) => id));
    for (;;) {
        const drafts = inPlanOrder([...continued, ...groupRequests(fresh, alone).map(draftOfGroup)], resources);
        const { ordered, circle } = dependenciesFirst(drafts.filter((draft) => draft.resources.length > 0));
        if (circle === undefined) {
            const made = new Set(drafts.flatMap((draft) => draft.resources.map(({ id }) => id)));
            const steps = ordered.map((draft) => finish(draft, made, actions, abilities));
            return [...abandoned(open, activeById), ...steps];
        }
        alone.add(circle);
    }
}
function writes(action) {
    return action === 'create' || action === 'update' || action === 'deploy' || action === 'replace';
}
function isSingle(resource) {
    return resource.kind === 'deployment' && resource.inputs.mode === 'single';
}
function draftOfAttempt(attempt, active) {
    const id = parseStepId(attempt.step)?.id;
    invariant(id !== undefined, 'the journal holds step ids');
    return { id, resources: attempt.resources.flatMap((made) => active.get(made) ?? []), sent: true };
}
function draftOfGroup(group) {
    const [first] = group;
    invariant(first !== undefined, 'a request makes something');
    const shared = group.length > 1 && first.kind === 'contract' && 'deployment' in first.inputs;
    return { id: shared ? first.inputs.deployment : first.id, resources: group, sent: false };
}
function inPlanOrder(drafts, resources) {
    const nameOf = (draft) => draft.resources[0]?.id ?? draft.id;
    const named = new Set(drafts.map(nameOf));
    const places = new Map();
    for (const [index, { id }] of resources.entries())
        if (named.has(id))
            places.set(id, index);
    const place = (draft) => places.get(nameOf(draft)) ?? 0;
    return [...drafts].sort((a, b) => place(a) - place(b));
}
/** Depth-first without recursion; or the deployment whose shared request closes a circle. */
function dependenciesFirst(drafts) {
    const owner = new Map(drafts.flatMap((draft) => draft.resources.map(({ id }) => [id, draft])));
    const state = new Map();
    const ordered = [];
    for (const root of drafts) {
        const path = [];
        const enter = (draft) => {
            state.set(draft, 'open');
            path.push({ draft, rest: [...neighbours(draft, owner)].reverse() });
        };
        if (!state.has(root))
            enter(root);
        for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
            const next = top.rest.pop();
            if (next === undefined) {
                state.set(top.draft, 'done');
                ordered.push(top.draft);
                path.pop();
            }
            else if (state.get(next) === 'open') {
                return {
                    ordered,
                    circle: sharedIn(path.map(({ draft }) => draft), next),
                };
            }
            else if (!state.has(next)) {
                enter(next);
            }
        }
    }
    return { ordered };
}
function sharedIn(path, back) {
    const shared = path.slice(path.indexOf(back)).find((draft) => draft.resources.length > 1 && !draft.sent);
    invariant(shared !== undefined, 'resources are ordered, so only shared requests can close a circle');
    return shared.id;
}
function neighbours(draft, owner) {
    if (draft.sent)
        return new Set();
    const needed = draft.resources.flatMap(({ dependsOn }) => dependsOn.flatMap((id) => owner.get(id) ?? []));
    return new Set(needed.filter((other) => other !== draft));
}
function finish({ id, resources }, made, actions, abilities) {
    const [first] = resources;
    invariant(first !== undefined, 'a step makes something');
    const kind = kindNamed(first.kind);
    const own = new Set(resources.map((resource) => resource.id));
    const needed = new Set(resources.flatMap(({ dependsOn }) => dependsOn.filter((other) => made.has(other) && !own.has(other))));
    const operation = kind.operation(first, actions.get(first.id) === 'update');
    const exclusive = kind.exclusive?.(first, abilities) === true;
    const step = { id, resources: [...own], operation, dependsOn: [...needed], lane: kind.lane(first) };
    return exclusive ? { ...step, exclusive } : step;
}
/** Open attempts for resources that the plan no longer has: they too must be settled. */
function abandoned(open, active) {
    return open
        .filter((attempt) => !attempt.resources.some((id) => active.has(id)))
        .flatMap(({ step, resources, operation, lane }) => {
        const id = parseStepId(step)?.id;
        return id === undefined ? [] : [{ id, resources, operation, dependsOn: [], lane }];
    });
}
