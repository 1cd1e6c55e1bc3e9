import { recordOf } from '../model/id.js';
import { textMember } from '../model/json.js';
import type { Kind } from './kind.js';
import { onlyResource } from './knowledge.js';
import { namesBefore, newItems, objectOf, only, tellsOfAnother } from './listing.js';
import { undecidedAmong, type Operation } from './operation.js';
import { confirmed } from './transaction.js';

/** A smart contract project: the folder of versions. Created when missing where the service has `projects`. */
export const project: Kind<'project'> = {
  name: 'project',
  verb: 'create',
  irreversible: false,
  isExisting: () => false,
  comparable: ({ inputs }) => ({ slug: inputs.slug }),
  observe: ({ resource, entry, knowledge, answers }) => {
    if (answers.length > 0) return [];
    const projectSlug = textMember(entry?.outputs, 'slug') ?? resource.inputs.slug;
    const endpoint = knowledge.abilities.capabilities.has('projects') ? 'project.detail' : 'version.list';
    return [{ type: 'service', endpoint, params: { projectSlug } }];
  },
  seen: ({ resource, entry, answers: [answer] }) => {
    if (answer === undefined) return { sight: 'not-asked' };
    if (answer.type === 'unreadable') return { sight: 'unreadable', unreadable: answer.message };
    if (answer.type === 'absent') return { sight: 'absent' };
    const slug =
      textMember(answer.value, 'slug') ?? textMember(entry?.outputs, 'slug') ?? resource.inputs.slug;
    return { sight: 'present', outputs: { slug }, inputs: {} };
  },
  differs: () => ({
    action: 'blocked',
    reason: 'the slug of a project cannot be changed',
    fix: 'use `moved` when only the key in the plan changed',
  }),
  provable: ({ capabilities }) =>
    capabilities.has('projects') ||
    'the capability projects; without it create the project in the portal of the service',
  operation: () => 'project.create',
  lane: () => 'service:projects',
};

/** Creates a project. The service derives the slug from the name; the answer tells it. Nothing calls back. */
export const createProject: Operation = {
  silent: true,
  prepare: (_view, answers) => (answers.length === 0 ? [{ type: 'service', endpoint: 'project.list' }] : []),
  request: (view, answers) => {
    const { id, inputs } = onlyResource(view, 'project');
    const { slug } = inputs;
    return {
      type: 'write',
      request: { endpoint: 'project.create', params: {}, body: { project_name: slug }, takesCallback: false },
      context: { name: slug, before: namesBefore(answers[0], 'slug') },
      inputs: recordOf(id, { slug }),
    };
  },
  accept: (result, { name }) => {
    const slug = textMember(result, 'slug');
    return slug === undefined || tellsOfAnother(result, 'project_name', name) ? undefined : { slug };
  },
  proofs: (known, answers) => {
    if (answers.length > 0) return [];
    const projectSlug = textMember(known.ids, 'slug');
    return projectSlug === undefined
      ? [{ type: 'service', endpoint: 'project.list' }]
      : [{ type: 'service', endpoint: 'project.detail', params: { projectSlug } }];
  },
  judge: (known, answers) => {
    const answered = textMember(known.ids, 'slug');
    const [shown] = answers;
    if (answered !== undefined && tellsOfAnother(objectOf(shown), 'project_name', known.context['name']))
      return { type: 'wait' };
    if (answered !== undefined)
      return confirmed(known, shown?.type === 'found' ? 'B' : 'D', { slug: answered });
    const fresh = newItems(shown, 'slug', known);
    const named = fresh.filter((item) => item['project_name'] === known.context['name']);
    const slug = textMember(only(named), 'slug');
    return slug === undefined ? undecidedAmong(named) : confirmed(known, 'B', { slug });
  },
};
