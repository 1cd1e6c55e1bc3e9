import type { Diagnostic } from '../model/diagnostic.js';
import type { SourceTexts } from '../report/diagnostics.js';

/** Thrown by commands that cannot go on with a plan; carries all of its mistakes and the texts they point into. */
export class PlanMistakes extends Error {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceTexts;

  constructor(diagnostics: readonly Diagnostic[], sources: SourceTexts) {
    super('the plan has mistakes');
    this.name = 'PlanMistakes';
    this.diagnostics = diagnostics;
    this.sources = sources;
  }
}
