import { parseCertificateId, type ResourceId } from '../model/id.js';
import { anchorOf } from './change-card-html.js';
import { countDoubts, type Doubt } from './doubt.js';
import { doubtsText } from './doubt-text.js';
import { durationText } from './duration.js';
import { escapeHtml, escapeLines } from './escape.js';
import {
  codeHtml,
  factsHtml,
  foldedHtml,
  htmlPage,
  MOST_NAMED,
  MOST_OPEN,
  restHtml,
  sectionHtml,
  tableHtml,
} from './page.js';
import { receiptsHtml } from './run-receipts-html.js';
import { counted, grouped } from './palette.js';
import type { RunTimeline, TimelineBar, TimelineRow, Trouble } from './run-timeline.js';

/** What a run's page shows beside the run itself. */
export interface RunPageOptions {
  /** What was applied where, e.g. `campus-release on test`. */
  readonly title: string;
  /** The present, in epoch milliseconds: where the bar of an open step ends. */
  readonly nowMs: number;
  /** The command that goes on with it. */
  readonly resume: string;
  /** Steps that a person may have to settle. */
  readonly doubts: readonly Doubt[];
  /** The run goes on, and the page with it by this script. */
  readonly script?: string;
}

/**
 * One run as a self-contained page: what failed first and how to go on, then the time line, what has not begun, and
 * what was made with its proof.
 */
export function runPageHtml(run: RunTimeline | undefined, options: RunPageOptions): string {
  const sections: readonly (readonly [id: string, title: string, html: string])[] =
    run === undefined
      ? []
      : [
          ['trouble', 'What went wrong', troublesHtml(run, options)],
          ['unsettled', 'Not settled from earlier runs', earlierDoubtsHtml(run, options)],
          ['resume', 'How to go on', resumeHtml(run, options)],
          ['timeline', 'Time line', timelineHtml(run, options)],
          ['waiting', 'Not begun', waitingHtml(run.waiting)],
          ['receipts', 'Receipts', receiptsHtml(run.receipts)],
          ['run', 'Run', runFactsHtml(run)],
        ];
  const body = [headHtml(run, options), ...sections.map(([id, name, html]) => sectionHtml(id, name, html))];
  return htmlPage(options.title, body.filter((part) => part !== '').join('\n'), {
    ...(options.script !== undefined && { script: options.script }),
  });
}

const VERDICTS = {
  done: ['confirmed', 'Done'],
  incomplete: ['failed', 'Incomplete: some steps failed or could not begin'],
  undecided: ['undecided', 'Undecided: it cannot be known whether a step took effect'],
  interrupted: ['skipped', 'Interrupted'],
} as const;

function headHtml(run: RunTimeline | undefined, { title, nowMs, script, doubts }: RunPageOptions): string {
  const live = script !== undefined;
  const head = ['<header><p class="kicker">Windlass run</p>', `<h1>${escapeHtml(title)}</h1>`];
  if (run === undefined) {
    const text = live ? 'The run begins.' : 'Nothing was applied from this folder to this environment yet.';
    return [...head, `<p class="verdict">${text}</p></header>`].join('\n');
  }
  const running = live ? 'Running' : 'It did not end yet, or a crash cut it short';
  const verdict = run.result === 'running' ? (['open', running] as const) : VERDICTS[run.result];
  const { duplicate, undecided } = countDoubts(doubts);
  const [name, words] = run.result === 'done' && duplicate + undecided > 0 ? VERDICTS.undecided : verdict;
  const total = run.rows.reduce((sum, { count }) => sum + count, 0) + run.waiting.length;
  const chips = (['confirmed', 'failed', 'undecided', 'open', 'resolved'] as const)
    .filter((state) => run.counts[state] > 0)
    .map((state) => `<li class="chip ${state}">${grouped(run.counts[state])} ${WORDS[state]}</li>`);
  const waiting =
    run.waiting.length === 0 ? '' : `<li class="chip">${grouped(run.waiting.length)} not begun</li>`;
  const took = durationText((run.endedMs ?? nowMs) - run.startedMs);
  return [
    ...head,
    `<p class="verdict"><span class="action ${name}">${words}</span> ${grouped(run.counts.confirmed)} of ${counted(total, 'step')} confirmed, ${counted(run.made, 'change')} made, in ${took}</p>`,
    `<ul class="chips">${chips.join('')}${waiting}</ul></header>`,
  ].join('\n');
}

const WORDS = {
  confirmed: 'confirmed',
  failed: 'failed',
  undecided: 'undecided',
  open: 'in flight',
  resolved: 'settled by a person',
} as const;

function troublesHtml({ troubles }: RunTimeline, { doubts }: RunPageOptions): string {
  const known = new Map(doubts.map((doubt) => [doubt.step, doubt]));
  const cards = troubles.slice(0, MOST_NAMED).map((trouble) => troubleHtml(trouble, known.get(trouble.step)));
  return cards.join('\n') + restHtml(troubles.length, MOST_NAMED);
}

/** Doubts about steps that this run did not touch: a run that went well does not settle them. */
function earlierDoubtsHtml({ troubles }: RunTimeline, { doubts }: RunPageOptions): string {
  const told = new Set(troubles.slice(0, MOST_NAMED).map(({ step }) => step));
  const earlier = doubts.filter(({ step }) => !told.has(step));
  const cards = earlier.slice(0, MOST_NAMED).map((doubt) => {
    const { step, resources } = doubt;
    return troubleHtml({ step, state: doubt.state === 'open' ? 'open' : 'undecided', resources }, doubt);
  });
  return cards.join('\n') + restHtml(earlier.length, MOST_NAMED);
}

function troubleHtml({ step, state, resources, message }: Trouble, doubt: Doubt | undefined): string {
  const several = resources.length > 1 ? `<p>Makes ${resources.map(codeHtml).join(', ')}.</p>` : '';
  const text = message === undefined ? '' : `<pre class="command">${escapeHtmlLines(message)}</pre>`;
  const told =
    doubt === undefined
      ? ''
      : `<pre class="command">${escapeHtmlLines(doubtsText([doubt], { colour: false }))}</pre>`;
  return `<details class="card" open id="${anchorOf(step)}"><summary><span class="action ${state}">${state}</span> <span class="name">${codeHtml(step)}</span></summary><div>${several}${text}${told}</div></details>`;
}

function resumeHtml(run: RunTimeline, { resume, script, doubts }: RunPageOptions): string {
  const { duplicate, undecided } = countDoubts(doubts);
  if (
    (run.result === 'done' && duplicate + undecided === 0) ||
    (run.result === 'running' && script !== undefined)
  )
    return '';
  return `<pre class="command">${escapeHtml(resume)}</pre><p class="faint">What is confirmed stays as it is; what is open is looked for before anything is sent.</p>`;
}

function timelineHtml(run: RunTimeline, { nowMs }: RunPageOptions): string {
  const endMs = Math.max(run.endedMs ?? nowMs, run.startedMs + 1);
  const firstMs = run.rows.reduce(
    (least, { bars }) => bars.reduce((sofar, { sentMs }) => Math.min(sofar, sentMs), least),
    run.startedMs,
  );
  const tableOf = (rows: readonly TimelineRow[]): string => {
    const cells = rows.map((row) => [
      `<span class="action ${row.state}">${WORDS[row.state]}</span>`,
      nameHtml(row),
      `<div class="track">${barsSvg(row.bars, firstMs, endMs)}</div>`,
      durationText(tookMs(row, endMs)),
    ]);
    const table = tableHtml(['state', 'step', `${durationText(endMs - firstMs)} in all`, 'took'], cells);
    return table === '' ? '' : `<div class="bars">${table}</div>`;
  };
  const folded = wellBeyond(run.rows);
  const shown = tableOf(run.rows.filter((row) => !folded.has(row)));
  if (shown === '') return '';
  const rest = run.rows.filter((row) => folded.has(row));
  const more =
    rest.length === 0
      ? ''
      : foldedHtml('well', `${grouped(rest.length)} more lines, all confirmed`, tableOf(rest));
  return `${shown}${more}<p class="faint">Full: until it was answered. Faint: until it was proven. Each attempt has its own bar.</p>`;
}

/** Of many rows, the confirmed ones beyond the first: what is not well stays in sight. */
function wellBeyond(rows: readonly TimelineRow[]): ReadonlySet<TimelineRow> {
  const well = rows.length > MOST_OPEN ? rows.filter(({ state }) => state === 'confirmed') : [];
  return new Set(well.slice(MOST_OPEN));
}

function nameHtml({ label, count, bars }: TimelineRow): string {
  const rows =
    label.startsWith('certificate.') && parseCertificateId(label as ResourceId) === undefined
      ? ` <span class="faint">${counted(count, 'certificate')}</span>`
      : '';
  const tries = bars.length > 1 ? ` <span class="faint">${bars.length} attempts</span>` : '';
  return `${codeHtml(label)}${rows}${tries}`;
}

function tookMs({ bars }: TimelineRow, endMs: number): number {
  const from = bars.reduce((least, { sentMs }) => Math.min(least, sentMs), Infinity);
  return bars.reduce((most, { settledMs }) => Math.max(most, settledMs ?? endMs), 0) - from;
}

const PAINTS = {
  confirmed: '#2e9e57',
  resolved: '#c98a1b',
  open: '#3a7bd5',
  failed: '#d6404a',
  undecided: '#d6404a',
} as const;

function barsSvg(bars: readonly TimelineBar[], fromMs: number, toMs: number): string {
  const place = (ms: number): number => Math.round((1000 * (ms - fromMs)) / (toMs - fromMs));
  const parts = bars.map(({ state, sentMs, answeredMs, settledMs }) => {
    const [x1, x3] = [place(sentMs), place(settledMs ?? toMs)];
    const x2 = answeredMs === undefined ? x1 : Math.min(x3, place(answeredMs));
    const paint = PAINTS[state];
    return `<rect x="${x1}" y="2" width="${Math.max(3, x3 - x1)}" height="14" fill="${paint}" fill-opacity=".45"/><rect x="${x1}" y="2" width="${Math.max(2, x2 - x1)}" height="14" fill="${paint}"/>`;
  });
  return `<svg viewBox="0 0 1003 18" preserveAspectRatio="none" role="img" aria-label="time of the step">${parts.join('')}</svg>`;
}

function waitingHtml(waiting: readonly ResourceId[]): string {
  if (waiting.length === 0) return '';
  const batches = new Map<string, number>();
  for (const id of waiting) {
    const batch = parseCertificateId(id)?.batch;
    const label = batch === undefined ? id : `certificate.${batch}`;
    batches.set(label, (batches.get(label) ?? 0) + 1);
  }
  const items = [...batches]
    .slice(0, MOST_NAMED)
    .map(
      ([label, count]) =>
        `<li>${codeHtml(label)}${count > 1 ? ` (${counted(count, 'certificate')})` : ''}</li>`,
    );
  const list = `<ul>${items.join('')}</ul>${restHtml(batches.size, MOST_NAMED)}`;
  return batches.size > MOST_OPEN ? foldedHtml('not-begun', counted(batches.size, 'line'), list) : list;
}

function runFactsHtml({ run: { started, ended } }: RunTimeline): string {
  return factsHtml([
    ['run', codeHtml(started.run)],
    ['began', escapeHtml(started.at)],
    ...(ended ? ([['ended', escapeHtml(ended.at)]] as const) : []),
    ['plan', codeHtml(started.plan)],
    ['change set', codeHtml(started.changeSet)],
    ['engine', `Windlass ${codeHtml(started.engine)}`],
  ]);
}

function escapeHtmlLines(text: string): string {
  return escapeLines(text).split('\n').map(escapeHtml).join('\n');
}
