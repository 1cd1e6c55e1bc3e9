import { isJsonObject, member, textMember, type Json } from '../../model/json.js';

/** Impacts of findings that count as vulnerabilities; the others are remarks on style and cost. */
const COUNTED = new Set(['High', 'Medium', 'Low']);

/**
 * How many vulnerabilities a report of Slither (`--json`) names in these files. A finding counts once, when its impact
 * is high, medium or low and it concerns one of the files; what it says of packages only is theirs.
 *
 * @param filenames of the uploaded sources
 * @returns undefined when the text is no report, or one of a failure
 */
export function vulnerabilitiesIn(text: string, filenames: readonly string[]): number | undefined {
  const report = parsed(text);
  if (member(report, 'success') !== true) return undefined;
  const detectors = member(member(report, 'results'), 'detectors') ?? [];
  if (!Array.isArray(detectors)) return undefined;
  const own = new Set(filenames);
  return (detectors as readonly Json[]).filter(
    (finding) => COUNTED.has(textMember(finding, 'impact') ?? '') && concerns(finding, own),
  ).length;
}

function concerns(finding: Json, own: ReadonlySet<string>): boolean {
  const elements = member(finding, 'elements');
  const files = (Array.isArray(elements) ? (elements as readonly Json[]) : []).flatMap((element) => {
    const mapping = member(element, 'source_mapping');
    return textMember(mapping, 'filename_relative') ?? textMember(mapping, 'filename_short') ?? [];
  });
  return files.length === 0 || files.some((file) => own.has(file));
}

function parsed(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
