import { fillPlaceholders } from '../../src/model/value.js';
import { keyOfMetadata } from '../../src/kinds/envelope.js';
/** What really happened. Only invariants ask it; the engine never can. */
export class Truth {
    effects = [];
    #groups = new Map();
    /** What somebody else did by hand, alike in all that reads show. */
    strange = [];
    add(effect) {
        this.effects.push(effect);
        const group = this.#groups.get(effect.group);
        if (group === undefined)
            this.#groups.set(effect.group, [effect]);
        else
            group.push(effect);
    }
    /** What turned out to be nothing: a version that does not compile. */
    drop(effect) {
        const group = this.#groups.get(effect.group) ?? [];
        this.#groups.set(effect.group, group.filter((other) => other.slug !== effect.slug));
    }
    of(group) {
        return this.#groups.get(group) ?? [];
    }
}
/** The group of an audit record: what it says, without the envelope. */
export function recordGroup(metadata) {
    const wrapped = keyOfMetadata(metadata) !== undefined;
    const said = wrapped ? JSON.stringify(JSON.parse(metadata)['v']) : metadata;
    return `record:${said.replace(/0x[0-9a-f]{40}\b/gi, '@')}`;
}
/** The group that a resource's effect belongs to; undefined for what is never written. */
export function groupOf({ kind, inputs }, nameOfToken) {
    if (kind === 'deployment' || 'address' in inputs || 'id' in inputs)
        return undefined;
    if (kind === 'audit-record')
        return `record:${recordText(inputs.metadata, inputs.envelope)}`;
    if (kind === 'certificate')
        return `mint:${inputs.name}`;
    if (kind === 'transfer')
        return 'ref' in inputs.token ? `transfer:${nameOfToken(inputs.token.ref)}` : undefined;
    return `${kind}:${nameIn(inputs)}`;
}
function nameIn(inputs) {
    const named = inputs['nickname'] ?? inputs['contract'] ?? inputs['slug'] ?? inputs['name'];
    return typeof named === 'string' ? named : '';
}
function recordText(metadata, envelope) {
    const filled = fillPlaceholders(metadata, () => '@');
    return typeof filled === 'string' && envelope === 'none' ? filled : JSON.stringify(filled);
}
