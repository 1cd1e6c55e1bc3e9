import { invariant } from '../model/error.js';
import { member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { InputsOf } from '../model/resource.js';
import type { EndpointName } from '../protocol/endpoint.js';
import type { Kind } from './kind.js';
import { itemsOf, namesBefore, newItems, only } from './listing.js';
import { undecidedAmong, type Operation } from './operation.js';
import { confirmed } from './transaction.js';

/** What categories and tags share: an id that the service gives to a name. Names are not unique there. */
export function labelKind<K extends 'category' | 'tag'>(name: K, list: EndpointName): Kind<K> {
  return {
    name,
    verb: 'create',
    irreversible: false,
    isExisting: (resource) => 'id' in resource.inputs,
    comparable: ({ inputs }) => inputs,
    observe: ({ entry, knowledge, answers }) =>
      entry === undefined || answers.length > 0 || !knowledge.abilities.capabilities.has('lists')
        ? []
        : [{ type: 'service', endpoint: list }],
    seen: ({ entry, answers: [answer] }) => {
      if (entry === undefined) return { sight: 'not-asked' };
      if (answer === undefined || answer.type === 'unreadable')
        return { sight: 'unreadable', unreadable: 'capability lists' };
      const item = itemsOf(answer).find(({ id }) => id === entry.outputs['id']);
      if (item === undefined) return { sight: 'absent' };
      return { sight: 'present', inputs: shownOf(item, entry.inputs) };
    },
    differs: () => ({ action: 'blocked', reason: `a ${name} is its name`, fix: 'declare another one' }),
    provable: () => true,
    operation: () => `${name}.create`,
    lane: () => `service:${name}`,
  };
}

/** Its name, unless the plan knows it by its id; and that it was switched off, because no new record may carry it then. */
function shownOf(item: JsonObject, locked: Json): JsonObject {
  const { name = null, is_active: active } = item;
  return {
    ...(textMember(locked, 'name') !== undefined && typeof name === 'string' && { name }),
    ...((active === 0 || active === false) && { active: false }),
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
        inputs: { [resource.id]: { name } },
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
