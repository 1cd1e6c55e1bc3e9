import type { KindName, ResourceId } from '../model/id.js';
import type { AnyResource, InputsOf } from '../model/resource.js';
import type { PlanFiles } from './files.js';
import type { Names } from './names.js';
import type { Span } from './node.js';
import type { Reach } from './reach.js';
import type { TemplateReader } from './template.js';

/** A dependency and the place in the plan that asks for it. */
export interface Edge {
  readonly to: ResourceId;
  readonly at: Span;
}

/** A resource before the order is known. */
export interface Draft {
  readonly resource: AnyResource;
  readonly edges: readonly Edge[];
  readonly at: Span;
}

/** What the readers of a plan's sections share while one plan is loaded. */
export interface Drafting extends Reach {
  /** The plan's text, for the places of parts of a scalar. */
  readonly text: string;
  readonly names: Names;
  readonly vars: ReadonlyMap<string, string>;
  readonly templates: TemplateReader;
  readonly files: PlanFiles;
  /** In file order. */
  readonly drafts: Draft[];
  readonly notices: string[];
}

/** What a section knows of a resource when it declares it. */
export interface Declaration<K extends KindName> {
  readonly id: ResourceId;
  readonly kind: K;
  readonly inputs: InputsOf[K];
  readonly edges: readonly Edge[];
  /** The key that declares it. */
  readonly at: Span;
}

/** Adds a resource to the draft of the plan. */
export function declare<K extends KindName>(drafting: Drafting, declaration: Declaration<K>): void {
  const { id, kind, inputs, edges, at } = declaration;
  const declaredAt = drafting.problems.positionOf(at.start);
  const resource = { id, kind, inputs, dependsOn: [], declaredAt } as unknown as AnyResource;
  drafting.drafts.push({ resource, edges, at });
}
