import { textMember, type JsonObject } from '../model/json.js';
import type { InputsOf, Resource } from '../model/resource.js';
import type { EndpointName } from '../protocol/endpoint.js';
import type { Outputs } from '../state/event.js';
import type { Adoption, AdoptionView, Appraisal } from './adoption.js';
import { idText, itemsOf, objectOf, textsOf } from './listing.js';
import type { ReadAnswer } from './operation.js';
import { version } from './version.js';
import { shownPerson } from './wallet.js';

/** A wallet by its address; where wallets can be listed, its name is compared with the plan's, and never told. */
export const adoptWallet: Adoption = {
  names: ['address'],
  form: '0x…',
  fact: false,
  adoptable: true,
  next: ({ given, abilities }, answers) =>
    answers.length > 0 || !abilities.capabilities.has('lists')
      ? []
      : [{ type: 'service', endpoint: 'wallet.detail', params: { address: given['address'] ?? '' } }],
  appraise: ({ given, person }, [answer]) =>
    judged(answer, { address: given['address'] ?? '' }, (found) => shownPerson(found, person)),
};

/** A project by its slug. */
export const adoptProject: Adoption = {
  names: ['slug'],
  form: 'SLUG',
  fact: false,
  adoptable: true,
  next: ({ given, abilities }, answers) => {
    const params = { projectSlug: given['slug'] ?? '' };
    if (answers.length > 0) return [];
    const endpoint = abilities.capabilities.has('projects') ? 'project.detail' : 'version.list';
    return [{ type: 'service', endpoint, params }];
  },
  appraise: ({ given, inputs }, [answer]) => {
    const slug = given['slug'] ?? '';
    return judged(answer, { slug }, (found) => {
      const name = textMember(found, 'project_name');
      if (slug === inputs['slug']) return { slug };
      return name === undefined ? {} : { slug: name };
    });
  },
};

/** A version by its slug: name, compiler, packages and every source are compared. */
export const adoptVersion: Adoption = {
  names: ['slug'],
  form: 'SLUG',
  fact: false,
  adoptable: true,
  next: ({ context, given }, answers) => {
    const params = {
      projectSlug: textMember(context, 'project') ?? '',
      versionSlug: given['slug'] ?? '',
    };
    if (answers.length === 0) return [{ type: 'service', endpoint: 'version.detail', params }];
    const files = objectOf(answers[0])?.['contract_files'] ?? null;
    const urls = textsOf(itemsOf({ type: 'found', value: files, source: 'read' }), 'url');
    return answers.length > 1 ? [] : urls.map((url) => ({ type: 'file', url }));
  },
  appraise: (view, answers) => {
    const [detail, ...files] = answers;
    if (detail?.type !== 'found') return judged(detail, { slug: view.given['slug'] ?? '' }, () => ({}));
    const name = textMember(detail.value, 'version');
    const { inputs = {}, outputs = {} } = version.seen({
      resource: asVersion(view),
      entry: undefined,
      knowledge: { abilities: view.abilities, resource: () => undefined, outputs: () => undefined },
      answers: [{ type: 'found', value: [], source: 'read' }, detail, ...files],
    });
    const shown = { ...inputs, ...(name !== undefined && { name }) };
    return { type: 'shown', grade: 'B', outputs, shown };
  },
};

/** The inputs as they are locked, in the shape of a resource: what seeing needs of one. */
function asVersion({ id, inputs }: AdoptionView): Resource<'version'> {
  return {
    id,
    kind: 'version',
    inputs: inputs as unknown as InputsOf['version'],
    dependsOn: [],
    declaredAt: { line: 1, column: 1 },
  };
}

/** A category or tag by its id; its name is shown where they can be listed. */
export function adoptLabel(list: EndpointName): Adoption {
  return {
    names: ['id'],
    form: 'NUMBER',
    fact: false,
    adoptable: true,
    next: ({ abilities }, answers) =>
      answers.length > 0 || !abilities.capabilities.has('lists') ? [] : [{ type: 'service', endpoint: list }],
    appraise: ({ given }, [answer]) => {
      const item = itemsOf(answer).find((entry) => idText(entry['id']) === given['id']);
      const one: ReadAnswer | undefined =
        answer?.type !== 'found'
          ? answer
          : item === undefined
            ? { type: 'absent' }
            : { ...answer, value: item };
      return judged(one, { id: Number(given['id']) }, (found) => {
        const name = found['name'];
        return typeof name === 'string' ? { name } : {};
      });
    },
  };
}

/** The appraisal of a thing that one read of the platform shows, or not. */
function judged(
  answer: ReadAnswer | undefined,
  outputs: Outputs,
  shownIn: (found: JsonObject) => JsonObject,
): Appraisal {
  if (answer === undefined) return { type: 'unseen', outputs, reason: 'this environment has no read for it' };
  if (answer.type === 'unreadable') return { type: 'unseen', outputs, reason: answer.message };
  if (answer.type === 'absent') return { type: 'contradicted', reason: 'the platform has no such thing' };
  return { type: 'shown', grade: 'B', outputs, shown: shownIn(objectOf(answer) ?? {}) };
}
