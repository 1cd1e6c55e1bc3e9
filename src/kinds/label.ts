import { invariant } from '../model/error.js';
import { nameOf, recordOf } from '../model/id.js';
import { member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { InputsOf } from '../model/resource.js';
import type { EndpointName } from '../protocol/endpoint.js';
import type { Kind, Observation } from './kind.js';
import { itemsOf, namesBefore, newItems, only } from './listing.js';
import { undecidedAmong, type Operation } from './operation.js';
import { confirmed } from './transaction.js';

/**
 * What categories and tags share: an id that the service gives to a name. Names are not unique there; where lists can be
 * read, one that exists already is used, and not made a second time.
 */
export function labelKind<K extends 'category' | 'tag'>(name: K, list: EndpointName): Kind<K> {
  return {
    name,
    verb: 'create',
    irreversible: false,
    isExisting: (resource) => 'id' in resource.inputs,
    comparable: ({ inputs }) => inputs,
    observe: ({ knowledge, answers }) =>
      answers.length > 0 || !knowledge.abilities.capabilities.has('lists')
        ? []
        : [{ type: 'service', endpoint: list }],
    seen: ({ resource, entry, answers: [answer] }) => {
      if (answer === undefined || answer.type === 'unreadable')
        return { sight: 'unreadable', unreadable: 'capability lists' };
      if (entry === undefined) return namesakesOf(resource.inputs, itemsOf(answer));
      const item = itemsOf(answer).find(({ id }) => id === entry.outputs['id']);
      if (item === undefined) return { sight: 'absent' };
      return { sight: 'present', inputs: shownOf(item, entry.inputs) };
    },
    differs: ({ id }, fields) => {
      const ids = fields.find(({ path }) => path === SEVERAL)?.before;
      if (!Array.isArray(ids))
        return { action: 'blocked', reason: `a ${name} is its name`, fix: 'declare another one' };
      const section = name === 'tag' ? 'tags' : 'categories';
      const declared = `${JSON.stringify(nameOf(id))}: { id: ${JSON.stringify(ids[0])} }`;
      return {
        action: 'blocked',
        reason: `${ids.length} of this name are there (${ids.join(', ')}), and none is taken by chance`,
        fix: `name the one to use under audit.${section}, e.g. \`${declared}\``,
      };
    },
    provable: () => true,
    operation: () => `${name}.create`,
    lane: () => `service:${name}`,
  };
}

/** Member that names the ids of several labels of one name. */
const SEVERAL = 'ids';

/**
 * What bears the name of a label that is not locked. The only one is the one that is meant: names say what a label is,
 * and records of all plans share it. One that was switched off is none, because no new record may carry it.
 */
function namesakesOf(inputs: InputsOf['category'], items: readonly JsonObject[]): Observation {
  if (!('name' in inputs)) return { sight: 'not-asked' };
  const usable = items.filter((item) => item['name'] === inputs.name && !isSwitchedOff(item));
  const ids = usable.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));
  const [id] = ids;
  if (id === undefined) return { sight: 'absent' };
  if (ids.length > 1) return { sight: 'present', inputs: { name: inputs.name, [SEVERAL]: ids } };
  return { sight: 'present', outputs: { id }, inputs: { name: inputs.name } };
}

function isSwitchedOff({ is_active: active }: JsonObject): boolean {
  return active === 0 || active === false;
}

/** Its name, unless the plan knows it by its id; and that it was switched off, because no new record may carry it then. */
function shownOf(item: JsonObject, locked: Json): JsonObject {
  const { name = null } = item;
  return {
    ...(textMember(locked, 'name') !== undefined && typeof name === 'string' && { name }),
    ...(isSwitchedOff(item) && { active: false }),
  };
}

/** Creates a category or tag; the answer tells the id and nothing calls back. A lost answer is looked for among new ids. */
export function createLabel(create: EndpointName, list: EndpointName): Operation {
  return {
    silent: true,
    prepare: ({ knowledge }, answers) =>
      knowledge.abilities.capabilities.has('lists') && answers.length === 0
        ? [{ type: 'service', endpoint: list }]
        : [],
    request: ({ resources: [resource] }, answers) => {
      invariant(resource?.kind === 'category' || resource?.kind === 'tag', 'the step is for one label');
      const { name } = resource.inputs as Extract<InputsOf['category'], { name: string }>;
      return {
        type: 'write',
        request: { endpoint: create, params: {}, body: { name }, takesCallback: false },
        context: { name, before: namesBefore(answers[0], 'id') },
        inputs: recordOf(resource.id, { name }),
      };
    },
    accept: (result) => {
      const id = member(result, 'id');
      return typeof id === 'number' ? { id } : undefined;
    },
    proofs: (_known, answers, { capabilities }) =>
      answers.length === 0 && capabilities.has('lists') ? [{ type: 'service', endpoint: list }] : [],
    judge: (known, answers) => {
      const items = itemsOf(answers[0]);
      const answered = known.ids['id'];
      if (answered !== undefined)
        return confirmed(known, items.some((item) => item['id'] === answered) ? 'B' : 'D', { id: answered });
      const fresh = newItems(answers[0], 'id', known);
      const named = fresh.filter((item) => item['name'] === known.context['name']);
      const id = only(named)?.['id'];
      return id === undefined ? undecidedAmong(named) : confirmed(known, 'B', { id });
    },
  };
}
