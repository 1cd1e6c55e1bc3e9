import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { graphDot, graphMermaid, graphOf, type Graph } from '../../report/graph.js';
import { graphSvg } from '../../report/graph-svg.js';
import { findPlan, requirePlan } from '../plan-file.js';
import { printWarnings } from '../warnings.js';
import { printResult, type Terminal } from '../terminal.js';

/** Flags of `graph`. */
export interface GraphFlags {
  readonly env?: string;
  readonly format: 'mermaid' | 'dot' | 'svg' | 'json';
}

const WRITERS: Readonly<Record<GraphFlags['format'], (graph: Graph) => string>> = {
  mermaid: graphMermaid,
  dot: graphDot,
  svg: graphSvg,
  json: (graph) => JSON.stringify(graph, null, 2),
};

/** Prints the dependency graph of a plan; a batch is one node. Offline. */
export async function graph(
  terminal: Terminal,
  named: string | undefined,
  flags: GraphFlags,
): Promise<ExitCode> {
  const file = await findPlan(named, terminal);
  const plan = await requirePlan(file, flags.env, printWarnings(terminal));
  printResult(terminal, WRITERS[flags.format](graphOf(plan.resources)));
  return EXIT.done;
}
