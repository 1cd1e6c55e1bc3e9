import { parseCertificateId, type ResourceId } from '../model/id.js';
import type { Progress, StepReport } from '../execute/result.js';
import type { JournalEvent, Outputs, StepAnswered, StepSettled } from '../state/event.js';
import { durationText } from './duration.js';
import { escapeLines, escapeTerminal } from './escape.js';
import { changesText } from './counts-text.js';
import { counted, grouped, paletteOf, type Palette } from './palette.js';
import { otherText } from './verification.js';
import { batchOf, type BatchProgress, type RunView } from './run-view.js';

/** How events are printed. `tookMs`: since the attempt of the event was intended, where that is known. */
export interface EventTextOptions {
  readonly colour: boolean;
  readonly tookMs?: number;
}

/**
 * One line of the run for people, or undefined for events that are only of use to machines. Certificates that
 * went well have no line of their own: the bar or the heartbeat counts them.
 */
export function eventText(event: JournalEvent | Progress, options: EventTextOptions): string | undefined {
  const palette = paletteOf(options.colour);
  if (event.type === 'step-answered') return answeredText(event, palette);
  if (event.type === 'step-settled') return settledText(event, options, palette);
  if (event.type === 'step-ended') return endedText(event.report, palette);
  if (event.type === 'step-waiting') {
    return `${palette.change('again')} ${escapeTerminal(event.step)}: ${reasonText(event.reason)}`;
  }
  if (event.type === 'other-found') return `${palette.change('note')} ${escapeTerminal(otherText(event))}`;
  return rareText(event, palette);
}

/** The line of a batch whose last certificate ended. */
export function batchText(progress: BatchProgress, options: { readonly colour: boolean }): string {
  const took =
    progress.startedMs === undefined || progress.latestMs === undefined
      ? ''
      : ` (${durationText(progress.latestMs - progress.startedMs)})`;
  const palette = paletteOf(options.colour);
  const count = counted(progress.total, 'certificate');
  return `${palette.good('ended')} certificate.${escapeTerminal(progress.batch)}: ${count}${palette.faint(took)}`;
}

/** `12 of 40 steps done, 3 in flight`, with failures where there are any. */
export function progressText(view: RunView): string {
  const { confirmed, failed, undecided, skipped, open } = view.counts;
  return [
    `${confirmed} of ${counted(view.total, 'step')} done`,
    ...(view.inFlight.size > 0 ? [`${view.inFlight.size} in flight`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(undecided > 0 ? [`${undecided} undecided`] : []),
    ...(open > 0 ? [`${open} sent and open`] : []),
    ...(skipped > 0 ? [`${skipped} not begun`] : []),
  ].join(', ');
}

/** How a run went, in one line. */
export function resultText(
  result: 'done' | 'incomplete' | 'undecided' | 'interrupted',
  options: { readonly colour: boolean; readonly view: RunView; readonly tookMs: number },
): string {
  const palette = paletteOf(options.colour);
  const { view } = options;
  const { total, made } = view.changes;
  const took = durationText(options.tookMs);
  if (result === 'done') return `${palette.good('Done.')} ${doneText(view, took)}`;
  const what = `${progressText({ ...view, inFlight: new Map() })}; ${grouped(made)} of ${counted(total, 'change')} made, in ${took}`;
  const verdicts = {
    incomplete:
      palette.bad('Incomplete:') + ' some steps failed or could not begin; run apply again to resume.',
    undecided: palette.bad('Undecided:') + ' it cannot be known whether a step took effect.',
    interrupted: palette.change('Interrupted:') + ' run apply again to resume.',
  };
  return `${verdicts[result]} ${what}.`;
}

function doneText({ total: steps, changes: { total: changes } }: RunView, took: string): string {
  if (steps > 0) return `${changesText({ changes, steps })} took ${took}.`;
  return changes === 0 ? 'Nothing had to be sent.' : `${counted(changes, 'change')}; nothing had to be sent.`;
}

function rareText(event: JournalEvent | Progress, palette: Palette): string | undefined {
  if (event.type === 'lineage-started' && event.imported !== undefined) {
    return 'A new journal begins from the lockfile: what the lock holds counts as settled.';
  }
  if (event.type === 'resource-adopted' && event.imported !== true) {
    return `${palette.good('locked')} ${escapeTerminal(event.id)}, which exists already${addressText(event.outputs)}`;
  }
  if (event.type === 'resource-forgotten') return `${palette.change('forgot')} ${escapeTerminal(event.id)}`;
  if (event.type === 'resource-moved') {
    return `${palette.change('moved')} ${escapeTerminal(event.from)} to ${escapeTerminal(event.to)}`;
  }
  if (event.type === 'step-resolved') {
    return `${palette.good('resolved')} ${escapeTerminal(event.step)} as ${event.decision}`;
  }
  if (event.type === 'step-duplicated') {
    return `${palette.bad('duplicate')} ${escapeTerminal(event.step)}: a sign of an effect came that no step explains`;
  }
  return undefined;
}

function answeredText(event: StepAnswered, palette: Palette): string | undefined {
  if (event.outcome === 'accepted') return undefined;
  const reason = event.message === undefined ? '' : `: ${reasonText(event.message)}`;
  const status = event.status === undefined ? '' : ` (${event.status})`;
  const words = {
    not_sent: 'was not sent',
    rejected: 'was refused',
    ambiguous: 'got no clear answer; looking for proof',
  };
  return `${palette.change('notice')} ${escapeTerminal(event.step)} ${words[event.outcome]}${status}${reason}`;
}

function settledText(event: StepSettled, options: EventTextOptions, palette: Palette): string | undefined {
  if (event.state !== 'confirmed' || batchOf(event.step) !== undefined) return undefined;
  const took = (options.tookMs ?? 0) < 100 ? '' : palette.faint(` (${durationText(options.tookMs ?? 0)})`);
  const head = `${palette.good('done')} ${escapeTerminal(event.step)}`;
  const outputs = Object.entries(event.outputs) as [ResourceId, Outputs][];
  const [only] = outputs;
  if (outputs.length === 1 && only) return `${head}${addressText(only[1])}${took}`;
  const made = outputs.map(([id, output]) => `     ${escapeTerminal(id)}${addressText(output)}`);
  return [`${head}${took}`, ...made].join('\n');
}

function endedText(report: StepReport, palette: Palette): string | undefined {
  if (report.end === 'confirmed') return undefined;
  // Thousands of rows that were not begun say what the count at the end says.
  if (report.end === 'skipped' && parseCertificateId(report.id) !== undefined) return undefined;
  const message = report.message === undefined ? '' : `: ${reasonText(report.message)}`;
  if (report.end === 'skipped') {
    return palette.faint(`not begun ${escapeTerminal(report.id)}${message}`);
  }
  if (report.end === 'open')
    return `${palette.change('notice')} ${escapeTerminal(report.step ?? report.id)}${message}`;
  return `${palette.bad(report.end)} ${escapeTerminal(report.step ?? report.id)}${message}`;
}

/** Reasons may have several lines, a compiler's for instance; the first ones say what matters. */
function reasonText(text: string): string {
  const lines = escapeLines(text.trim()).split('\n');
  const shown = lines.slice(0, 20).join('\n     ');
  return lines.length > 20 ? `${shown}\n     …` : shown;
}

function addressText(outputs: Outputs): string {
  return outputs.address === undefined ? '' : ` at ${escapeTerminal(outputs.address)}`;
}
