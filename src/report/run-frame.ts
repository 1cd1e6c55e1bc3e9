import { durationText } from './duration.js';
import { escapeTerminal } from './escape.js';
import { paletteOf } from './palette.js';
import { progressText } from './run-text.js';
import { paceOf, type BatchProgress, type RunView, type StepInFlight } from './run-view.js';
import { waitText } from './wait-text.js';
import { cellsOf, fitCells, padCells } from './width.js';

/** The room that a frame has: cells and lines of the terminal, and the present in epoch milliseconds. */
export interface FrameRoom {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly colour: boolean;
}

/** Steps in flight that a frame names. */
const MOST_STEPS = 8;

/**
 * The lines pinned at the bottom of the terminal while a run goes on: steps in flight, a bar per batch, the
 * count. Never more than `rows - 1` lines, never wider than `columns - 1`, so that nothing wraps or scrolls.
 */
export function runFrame(view: RunView, room: FrameRoom): readonly string[] {
  const rows = Math.max(1, room.rows - 1);
  const batches = [...view.batches.values()].filter(
    (batch) => batch.startedMs !== undefined && batch.settled < batch.total,
  );
  const bars = batches.slice(0, Math.max(0, Math.min(4, rows - 1))).map((batch) => barLine(batch, room));
  const summary = [fitCells(`  ${progressText(view)}`, width(room))];
  const steps = stepLines(view, room, Math.min(MOST_STEPS, rows - bars.length - summary.length));
  return [...steps, ...bars, ...summary];
}

/** A bar of a batch: `class-of-2026 [####    ] 12/25  3.1/s  4 s left`; the bar goes first where it is narrow. */
export function barLine(progress: BatchProgress, room: FrameRoom): string {
  const pace = paceOf(progress, room.nowMs);
  const numbers = `${progress.settled}/${progress.total}`;
  const speed = pace ? `  ${pace.perSecond.toFixed(1)}/s  ${durationText(pace.leftMs)} left` : '';
  const name = escapeTerminal(progress.batch);
  const space = width(room) - cellsOf(name) - cellsOf(numbers) - cellsOf(speed) - 6;
  if (space < 8) return fitCells(`  ${name} ${numbers}${speed}`, width(room));
  const cells = Math.min(30, space);
  const filled = Math.floor((cells * progress.settled) / Math.max(1, progress.total));
  const paint = paletteOf(room.colour);
  const bar = paint.good('#'.repeat(filled)) + paint.faint('-'.repeat(cells - filled));
  return `  ${name} [${bar}] ${numbers}${speed}`;
}

function stepLines(view: RunView, room: FrameRoom, most: number): readonly string[] {
  const flights = [...view.inFlight.values()];
  if (most <= 0) return [];
  const shown = flights.length > most ? flights.slice(0, most - 1) : flights;
  const paint = paletteOf(room.colour);
  const lines = shown.map((flight) => {
    const what = flight.waitsFor === 'answer' ? 'sending' : proofText(flight, room.nowMs);
    const tail = `${what}  ${durationText(room.nowMs - flight.sinceMs)}`;
    const space = width(room) - cellsOf(tail) - 4;
    if (space < 12) return fitCells(`  ${escapeTerminal(flight.step)}`, width(room));
    const label = padCells(fitCells(escapeTerminal(flight.step), space), Math.min(42, space));
    return `  ${label}  ${paint.faint(tail)}`;
  });
  const rest = flights.length - shown.length;
  if (rest > 0) return [...lines, fitCells(`  … and ${rest} more in flight`, width(room))];
  // Why and on what evidence, where there is room below.
  const waits = shown.map((flight) => waitText(flight, room.nowMs));
  const left = most - lines.length;
  return lines.flatMap((line, index) => {
    const isTold = shown[index]?.watched !== undefined && index < left;
    return isTold ? [line, paint.faint(fitCells(`    ${waits[index] ?? ''}`, width(room)))] : [line];
  });
}

function proofText({ watched }: StepInFlight, nowMs: number): string {
  if (watched === undefined) return 'waiting for proof';
  return `waiting for proof, ${durationText(Math.max(0, watched.untilMs - nowMs))} at most`;
}

function width(room: FrameRoom): number {
  return Math.max(20, room.columns - 1);
}
