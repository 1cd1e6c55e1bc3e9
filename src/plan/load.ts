import { digestOfBytes } from '../model/canonical.js';
import type { Checked } from '../model/diagnostic.js';
import { LOCAL } from '../model/environment.js';
import type { Plan } from '../model/plan.js';
import type { AnyResource } from '../model/resource.js';
import type { Draft, Drafting } from './draft.js';
import { resolveEnvironment, type ResolvedEnvironment } from './environment.js';
import type { PlanFiles } from './files.js';
import { orderDrafts } from './graph.js';
import { collectNames } from './names.js';
import { child, textOf, type PlanNode } from './node.js';
import { parsePlan } from './parse.js';
import { collectProblems, type Problems } from './problems.js';
import { readProjects } from './projects.js';
import { hasTemplate, loadTemplates } from './template.js';
import { validateShape } from './validate.js';
import { readWallets } from './wallets.js';

/** A plan's text and what it is loaded for. */
export interface PlanInput {
  /** The plan's file as the user named it, for diagnostics. */
  readonly file: string;
  readonly text: string;
  /** Default: `local`. */
  readonly environment?: string;
  readonly files: PlanFiles;
  /** Values of variables that go before those of the plan. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Loads a plan for one environment: parsed, checked, templates filled, names resolved, files digested, in order.
 * All mistakes come at once, in reading order; a broken part hides none elsewhere.
 *
 * @returns the plan, or the diagnostics of all its mistakes; warnings may stand beside a plan
 */
export async function loadPlan(input: PlanInput): Promise<Checked<Plan>> {
  const problems = collectProblems(input.file, input.text);
  const document = parsePlan(input.text, problems);
  if (document === undefined) return { ok: false, diagnostics: problems.all() };
  validateShape(document, problems);
  const environmentName = input.environment ?? LOCAL;
  const resolved = resolveEnvironment(document, environmentName, input.variables ?? {}, problems);
  const drafting = await startDrafting(document, input, resolved, problems);
  await readSections(document, resolved, drafting);
  const ordered = orderDrafts(drafting.drafts, problems);
  const diagnostics = problems.all();
  if (ordered === undefined || problems.hasErrors()) return { ok: false, diagnostics };
  const value: Plan = {
    name: textOf(child(document, 'name')) ?? '',
    file: input.file,
    digest: digestOfBytes(input.text),
    environment: resolved.environment,
    resources: ordered.map(finished),
    moved: {},
    notices: drafting.notices,
  };
  return { ok: true, value, diagnostics };
}

async function startDrafting(
  document: PlanNode,
  input: PlanInput,
  { wallets, vars }: ResolvedEnvironment,
  problems: Problems,
): Promise<Drafting> {
  return {
    text: input.text,
    problems,
    names: collectNames(document, wallets, problems),
    vars,
    templates: hasTemplate(input.text) ? await loadTemplates() : (text) => ({ ok: true, pieces: [text] }),
    files: input.files,
    drafts: [],
    notices: [],
  };
}

/** Each section declares its resources; their order here is not the plan's order. */
async function readSections(
  document: PlanNode,
  { wallets }: ResolvedEnvironment,
  drafting: Drafting,
): Promise<void> {
  readWallets(wallets, drafting);
  await readProjects(document, drafting);
}

function finished({ resource, edges }: Draft): AnyResource {
  return { ...resource, dependsOn: [...new Set(edges.map(({ to }) => to))] };
}
