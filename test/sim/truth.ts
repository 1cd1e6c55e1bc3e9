import { sentText } from '../support/builders.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import { fillPlaceholders } from '../../src/model/value.js';
import type { AnyResource } from '../../src/model/resource.js';
import { keyOfMetadata } from '../../src/kinds/envelope.js';

/** Something that happened on the platform and cannot be undone by asking again. */
export interface Effect {
  /** What was asked for, told by its content alone: steps of equal content share a group. */
  readonly group: string;
  readonly address?: string;
  readonly transaction?: string;
  readonly id?: number;
  readonly slug?: string;
  readonly tokenId?: string;
  /** Somebody else made it with a wallet of theirs. */
  readonly foreign?: true;
}

/** What really happened. Only invariants ask it; the engine never can. */
export class Truth {
  readonly effects: Effect[] = [];
  readonly #groups = new Map<string, Effect[]>();
  /** What somebody else did by hand, alike in all that reads show. */
  readonly strange: Effect[] = [];

  add(effect: Effect): void {
    this.effects.push(effect);
    const group = this.#groups.get(effect.group);
    if (group === undefined) this.#groups.set(effect.group, [effect]);
    else group.push(effect);
  }

  /** What turned out to be nothing: a version that does not compile. */
  drop(effect: Effect): void {
    const group = this.#groups.get(effect.group) ?? [];
    this.#groups.set(
      effect.group,
      group.filter((other) => other.slug !== effect.slug),
    );
  }

  of(group: string): readonly Effect[] {
    return this.#groups.get(group) ?? [];
  }
}

/** The group of an audit record: what it says, without the envelope. */
export function recordGroup(metadata: string): string {
  const wrapped = keyOfMetadata(metadata) !== undefined;
  const said = wrapped ? JSON.stringify((JSON.parse(metadata) as JsonObject)['v']) : metadata;
  return `record:${said.replace(/0x[0-9a-f]{40}\b/gi, '@')}`;
}

/** The group that a resource's effect belongs to; undefined for what is never written. */
export function groupOf(
  { kind, inputs }: AnyResource,
  nameOfToken: (id: string) => string,
): string | undefined {
  if (kind === 'deployment' || 'address' in inputs || 'id' in inputs) return undefined;
  if (kind === 'audit-record') return `record:${recordText(inputs.metadata, inputs.envelope)}`;
  if (kind === 'certificate') return `mint:${inputs.name}`;
  if (kind === 'transfer')
    return 'ref' in inputs.token ? `transfer:${nameOfToken(inputs.token.ref)}` : undefined;
  return `${kind}:${nameIn(inputs)}`;
}

function nameIn(inputs: JsonObject): string {
  const named = inputs['nickname'] ?? inputs['contract'] ?? inputs['slug'] ?? inputs['name'];
  return sentText(named);
}

function recordText(metadata: Json, envelope: 'digest' | 'none'): string {
  const filled = fillPlaceholders(metadata, () => '@');
  return typeof filled === 'string' && envelope === 'none' ? filled : JSON.stringify(filled);
}
