import { digestOfBytes, type Digest } from '../model/canonical.js';
import type { Checked } from '../model/diagnostic.js';
import { LOCAL } from '../model/environment.js';
import { NOTHING_EXTRA, type Permissions } from '../model/permissions.js';
import type { Plan } from '../model/plan.js';
import type { AnyResource } from '../model/resource.js';
import type { Draft, Drafting } from './draft.js';
import { resolveEnvironment, type ResolvedEnvironment } from './environment.js';
import { noteFiles, type PlanFiles } from './files.js';
import { orderDrafts } from './graph.js';
import { collectNames } from './names.js';
import { child, textOf, type PlanNode } from './node.js';
import { parsePlan } from './parse.js';
import { collectProblems } from './problems.js';
import { readProjects } from './projects.js';
import type { Reach } from './reach.js';
import { loadTemplates, needsGrammar, readPlainTemplate } from './template.js';
import { validateShape } from './validate.js';
import { readWallets } from './wallets.js';
import { readAudit } from './audit.js';
import { readBatches } from './batches.js';
import { readCertificateContracts } from './certificates.js';
import { readDeployments } from './deployments.js';
import { readMoved } from './moved.js';
import { applyOrder, type OrderGroup } from './order.js';
import { readTransfers } from './transfers.js';

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
  /** What the operator lets plans do beside what every plan may; default: nothing. */
  readonly permissions?: Permissions;
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
  const reach = { problems, permissions: input.permissions ?? NOTHING_EXTRA };
  const resolved = resolveEnvironment(document, environmentName, input.variables ?? {}, reach);
  const seen = new Map<string, Digest>();
  const files = noteFiles(input.files, seen);
  const drafting = await startDrafting(document, { ...input, files }, resolved, reach);
  const groups = await readSections(document, resolved, drafting);
  const moved = readMoved(document, drafting);
  const ordered = orderDrafts(applyOrder(inFileOrder(drafting.drafts), groups, problems), problems);
  const diagnostics = problems.all();
  if (ordered === undefined || problems.hasErrors()) return { ok: false, diagnostics };
  const value: Plan = {
    name: textOf(child(document, 'name')) ?? '',
    file: input.file,
    digest: digestOfBytes(input.text),
    files: Object.fromEntries([...seen].sort(([a], [b]) => (a < b ? -1 : 1))),
    environment: resolved.environment,
    environments: resolved.environments,
    resources: finishResources(ordered),
    moved,
    notices: drafting.notices,
  };
  return { ok: true, value, diagnostics };
}

async function startDrafting(
  document: PlanNode,
  input: PlanInput,
  { wallets, vars }: ResolvedEnvironment,
  { problems, permissions }: Reach,
): Promise<Drafting> {
  return {
    text: input.text,
    problems,
    permissions,
    names: collectNames(document, wallets, problems),
    vars,
    templates: needsGrammar(input.text) ? await loadTemplates() : readPlainTemplate,
    files: input.files,
    drafts: [],
    notices: [],
  };
}

/** Each section declares its resources, those first that later sections look up. Gives the explicit orders. */
async function readSections(
  document: PlanNode,
  { wallets }: ResolvedEnvironment,
  drafting: Drafting,
): Promise<readonly OrderGroup[]> {
  readWallets(wallets, drafting);
  const versions = await readProjects(document, drafting);
  const deployments = await readDeployments(document, versions, drafting);
  const records = readAudit(document, drafting);
  const contracts = readCertificateContracts(document, drafting);
  const batches = await readBatches(document, contracts, drafting);
  readTransfers(document, batches, drafting);
  return [...deployments, ...records];
}

/** As the file declares them; rows of a batch, which share a place, stay in row order. */
function inFileOrder(drafts: readonly Draft[]): readonly Draft[] {
  return drafts.toSorted((a, b) => a.at.start - b.at.start);
}

/** Turns edges into dependencies, and puts the contracts of each deployment in the order found. */
function finishResources(ordered: readonly Draft[]): readonly AnyResource[] {
  const ids = ordered.map(({ resource }) => resource.id);
  return ordered.map(({ resource, edges }) => {
    const dependsOn = [...new Set(edges.map(({ to }) => to))];
    if (resource.kind !== 'deployment') return { ...resource, dependsOn };
    const own = new Set(resource.inputs.contracts);
    const contracts = ids.filter((id) => own.has(id));
    return { ...resource, dependsOn, inputs: { ...resource.inputs, contracts } };
  });
}
