import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { isReleased } from '../../kinds/registry.js';
import { githubAnnotations, gitlabCodeQuality, sarifLog } from '../../report/annotations.js';
import { countText, diagnosticsJson, diagnosticsText } from '../../report/diagnostics.js';
import { counted } from '../../report/palette.js';
import { checkPlan, findPlan } from '../plan-file.js';
import { printNote, printResult, type Terminal } from '../terminal.js';
import { packageVersion } from '../version.js';

/** Flags of `validate`. */
export interface ValidateFlags {
  readonly env?: string;
  readonly format: 'text' | 'json' | 'sarif' | 'github' | 'gitlab';
}

/** Checks a plan without network and credentials; every mistake at once. Exit 0 or 3. */
export async function validate(
  terminal: Terminal,
  named: string | undefined,
  flags: ValidateFlags,
): Promise<ExitCode> {
  const file = await findPlan(named, terminal);
  const { checked, sources } = await checkPlan(file, flags.env);
  const { diagnostics } = checked;
  if (flags.format === 'json') printResult(terminal, JSON.stringify(diagnosticsJson(diagnostics), null, 2));
  if (flags.format === 'sarif') {
    printResult(terminal, JSON.stringify(sarifLog(diagnostics, packageVersion()), null, 2));
  }
  if (flags.format === 'gitlab') {
    printResult(terminal, JSON.stringify(gitlabCodeQuality(diagnostics), null, 2));
  }
  if (flags.format === 'github' && diagnostics.length > 0) {
    printResult(terminal, githubAnnotations(diagnostics));
  }
  if (flags.format === 'text' && diagnostics.length > 0) {
    printResult(terminal, diagnosticsText(diagnostics, sources, { colour: terminal.out.colour }));
  }
  if (flags.format === 'text' && checked.ok) {
    const { name, resources, environment } = checked.value;
    const what = `${counted(resources.filter(isReleased).length, 'resource')} for ${environment.name}, ${countText(diagnostics)}`;
    printNote(terminal, `${file.shown}: ${name} is valid: ${what}.`);
  }
  return checked.ok ? EXIT.done : EXIT.invalid;
}
