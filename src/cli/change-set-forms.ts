import type { ChangeSet } from '../model/change.js';
import type { Json } from '../model/json.js';
import { changeSetGitlab } from '../report/change-set-gitlab.js';
import { changeSetHtml } from '../report/change-set-html.js';
import { changeSetJson } from '../report/change-set-json.js';
import { changeSetMarkdown } from '../report/change-set-markdown.js';
import { changeSetText } from '../report/change-set-text.js';
import type { PageMaterial } from '../report/page-material.js';
import { densityOf, type DensityFlags } from './selection-flags.js';
import type { Terminal } from './terminal.js';

/** Forms in which a change set is printed. */
export type ChangeSetForm = 'text' | 'json' | 'markdown' | 'html' | 'gitlab';

/** What printing a change set needs beside it. */
export interface FormParts {
  readonly terminal: Terminal;
  readonly flags: DensityFlags & { readonly format: ChangeSetForm };
  /** The exact command that applies it, when there is one. */
  readonly next?: string;
  readonly material?: PageMaterial;
}

/** What a form shows beside the change set: everything, the sources of versions, or nothing. */
export function materialFor(
  flags: FormParts['flags'] & { readonly markdownInto?: string },
): 'everything' | 'sources' | 'nothing' {
  if (flags.format === 'html') return 'everything';
  const comment = flags.format === 'markdown' || flags.markdownInto !== undefined;
  const asked = comment || (flags.format === 'text' && densityOf(flags) === 'full');
  return asked ? 'sources' : 'nothing';
}

/** A change set in the form that was asked for. */
export function changeSetForm(changeSet: ChangeSet, { terminal, flags, next, material }: FormParts): string {
  const command = next === undefined ? {} : { next };
  const sources = material?.sources === undefined ? {} : { sources: material.sources };
  switch (flags.format) {
    case 'text':
      return changeSetText(changeSet, {
        colour: terminal.out.colour,
        density: densityOf(flags),
        ...command,
        ...sources,
      });
    case 'json':
      return JSON.stringify(changeSetJson(changeSet) satisfies Json, null, 2);
    case 'markdown':
      return changeSetMarkdown(changeSet, { ...command, ...sources });
    case 'html':
      return changeSetHtml(changeSet, { ...material, ...command });
    case 'gitlab':
      return JSON.stringify(changeSetGitlab(changeSet));
  }
}
