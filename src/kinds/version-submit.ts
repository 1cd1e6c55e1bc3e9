import { recordOf } from '../model/id.js';
import { textMember, type JsonObject } from '../model/json.js';
import type { InputsOf } from '../model/resource.js';
import { onlyResource } from './knowledge.js';
import { namesBefore, newItems, objectOf, tellsOfAnother, textsOf } from './listing.js';
import { undecidedAmong, type Known, type Operation, type ReadAnswer, type Verdict } from './operation.js';
import {
  comparable,
  detailRead,
  listMember,
  packagePins,
  packageSpecs,
  projectSlugOf,
  slugIn,
  versionOutputs,
} from './version.js';

type Inputs = InputsOf['version'];

/** Creates a version, or updates one that is not deployed; done when it is compiled. Nothing calls back. */
export function submitVersion(update: boolean): Operation {
  return {
    silent: true,
    prepare: (view, answers) => {
      const resource = onlyResource(view, 'version');
      const projectSlug = projectSlugOf(resource, view.knowledge);
      if (answers.length === 0)
        return [{ type: 'service', endpoint: 'version.list', params: { projectSlug } }];
      const slug = slugIn(answers[0], resource.inputs.name);
      return update && slug !== undefined && answers.length === 1 ? [detailRead(projectSlug, slug)] : [];
    },
    request: (view, answers) => {
      const resource = onlyResource(view, 'version');
      const projectSlug = projectSlugOf(resource, view.knowledge);
      const slug = update ? slugIn(answers[0], resource.inputs.name) : undefined;
      const detail = objectOf(answers[1]);
      return {
        type: 'write',
        request: {
          endpoint: slug === undefined ? 'version.create' : 'version.update',
          params: slug === undefined ? { projectSlug } : { projectSlug, versionSlug: slug },
          body: requestBody(resource.inputs),
          files: resource.inputs.sources.map((file) => ({
            field: 'contract_files[]',
            filename: file.filename,
            file,
          })),
          takesCallback: false,
        },
        context: {
          project: projectSlug,
          name: resource.inputs.name,
          before: namesBefore(answers[0], 'slug'),
          ...(slug !== undefined && { slug }),
          compiledBefore: textMember(detail, 'last_compiled_at') ?? null,
          errorBefore: textMember(detail, 'latest_error') ?? '',
          pins: packagePins(resource.inputs),
        },
        inputs: recordOf(resource.id, comparable(resource.inputs)),
      };
    },
    accept: (result, context) => {
      const slug = textMember(result, 'slug');
      return slug === undefined || tellsOfAnother(result, 'version', context['name']) ? undefined : { slug };
    },
    proofs: (known, answers) => {
      const projectSlug = textMember(known.context, 'project') ?? '';
      const slug = textMember(known.ids, 'slug') ?? textMember(known.context, 'slug');
      if (slug !== undefined) return answers.length === 0 ? [detailRead(projectSlug, slug)] : [];
      if (answers.length === 0)
        return [{ type: 'service', endpoint: 'version.list', params: { projectSlug } }];
      const fresh = freshSlug(known, answers[0]);
      return answers.length === 1 && fresh !== undefined ? [detailRead(projectSlug, fresh)] : [];
    },
    judge: judgeSubmitted,
  };
}

function judgeSubmitted(known: Known, answers: readonly ReadAnswer[]): Verdict {
  const detail = objectOf(answers.at(-1));
  const isOther = tellsOfAnother(detail, 'version', known.context['name']);
  return isOther ? { type: 'wait' } : judgeCompiled(known, detail);
}

function judgeCompiled(known: Known, detail: JsonObject | undefined): Verdict {
  const slug = textMember(detail, 'slug');
  const [id] = known.resources;
  const compiledAt = textMember(detail, 'last_compiled_at') ?? null;
  if (detail === undefined || slug === undefined || id === undefined) return { type: 'wait' };
  const error = textMember(detail, 'latest_error') ?? '';
  const compiled = compiledAt !== null && compiledAt !== known.context['compiledBefore'];
  // An error of an earlier compilation may stay until the next one ends.
  if (error !== '' && (compiled || error !== known.context['errorBefore']))
    return { type: 'failed', grade: 'B', message: error, outputs: {} };
  if (!compiled || listMember(detail, 'artifacts').length === 0) return undecidedAmong([detail]);
  const outputs = versionOutputs(slug, detail, known.context['pins']);
  return { type: 'confirmed', grade: 'B', outputs: recordOf(id, outputs) };
}

function requestBody({ name, compiler, ...inputs }: Inputs): JsonObject {
  const { enabled, runs } = compiler.optimizer;
  const packages = packageSpecs(inputs as Inputs);
  const solidity = { version: compiler.solidity, settings: { optimizer: { enabled, runs } } };
  return { version: name, compiler_settings: { solidity }, ...(packages.length > 0 && { packages }) };
}

function freshSlug(known: Known, list: ReadAnswer | undefined): string | undefined {
  const fresh = newItems(list, 'slug', known).filter((item) => item['version'] === known.context['name']);
  return textsOf(fresh, 'slug')[0];
}
