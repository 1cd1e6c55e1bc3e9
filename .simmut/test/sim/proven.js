import { isOpen } from '../../src/state/attempt.js';
import { idText } from '../../src/kinds/listing.js';
import { groupsOf } from './groups.js';
const NAMES = ['address', 'transaction', 'id', 'slug', 'tokenId'];
/**
 * S4, S5, S6, S20: compares what a state says with what really happened. Every live effect has a step that is confirmed
 * or open, and every confirmed step has an effect of its own, with the ids that it says.
 */
export function checkProven(world, state) {
    const entries = state.lock?.entries ?? new Map();
    const groups = groupsOf(world.plan);
    const open = new Set([...state.attempts.values()].filter(isOpen).flatMap(({ resources }) => resources));
    for (const [group, members] of groups.members) {
        const effects = world.platform.truth.of(group);
        const confirmed = members.flatMap((id) => entries.get(id) ?? []);
        checkInvented(world, effects, confirmed);
        const accounted = members.filter((id) => entries.has(id) || open.has(id)).length;
        world.check(effects.length <= accounted + world.repeats, 'S4', () => `${effects.length} effects of ${group}, but ${accounted} steps say so`);
    }
    for (const entry of entries.values())
        checkEntry(world, entry);
}
function checkEntry(world, entry) {
    const { id, grade, outputs } = entry;
    const text = JSON.stringify(outputs);
    const earlier = world.confirmed.get(id);
    world.check(earlier === undefined || earlier === text, 'S6', () => `${id} was ${earlier} and is ${text}`);
    world.confirmed.set(id, text);
    world.check(grade !== 'A', 'S20', () => `${id} claims to be read from a chain that nothing here reads`);
    const told = grade === 'B' && world.profile.capabilities.length === 0;
    const kind = entry.kind;
    const unread = ['audit-contract', 'certificate-contract', 'category', 'tag', 'wallet'].includes(kind);
    world.check(!(told && unread), 'S20', () => `${id} claims to be read where nothing shows it`);
}
function checkInvented(world, effects, entries) {
    const used = new Set();
    for (const { id, outputs, grade } of entries) {
        // What only a callback proves is as good as the secrecy of its token.
        if (grade === 'C' && world.forged)
            continue;
        // A lost write and a stranger's equal one: no read tells which of them happened.
        const effect = [...effects, ...world.platform.truth.strange].find((item) => !used.has(item) && isShownBy(item, outputs));
        world.check(effect !== undefined, 'S5', () => `${id} is confirmed with ${JSON.stringify(outputs)}, which never happened`);
        if (effect !== undefined)
            used.add(effect);
    }
}
function isShownBy(effect, outputs) {
    return NAMES.every((name) => {
        const shown = outputs[name];
        return shown === undefined || effect[name] === undefined || idText(shown) === idText(effect[name]);
    });
}
