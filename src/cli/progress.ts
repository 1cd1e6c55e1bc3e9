import type { ChangeSet } from '../model/change.js';
import { countChangeSet } from '../model/counts.js';
import { runFrame } from '../report/run-frame.js';
import { batchText, eventText, progressText } from '../report/run-text.js';
import { advanceView, batchesEnded, beginView, type RunView } from '../report/run-view.js';
import type { Observer } from '../execute/result.js';
import { durationText } from '../report/duration.js';
import { heartbeatOf, waitLines, type Heartbeat } from '../report/wait-text.js';
import type { Screen } from './terminal.js';

/** Frames per second of the live view; more cannot be read. */
const FRAME_MS = 100;

/** Silence after which a line says that the run is alive: looked at each second, so at most ten go by. */
const HEARTBEAT_MS = 9000;

const ESC = '\u001b[';

/** Shows a run while it goes on. */
export interface ProgressView {
  readonly observe: Observer;
  /** Prints a line of text among those of the run. */
  note(text: string): void;
  /** What is known by now. */
  view(): RunView;
  /** Milliseconds since the run began. */
  tookMs(): number;
  /** Leaves the finished lines and takes the live ones away. Nothing is shown afterwards. */
  end(): void;
}

/**
 * Shows a run on a screen: on a terminal, finished lines scroll up and what is in flight stays pinned below them;
 * elsewhere plain lines, and after ten silent seconds some that say how far it is and what it waits for.
 *
 * @param beat told after ten seconds in which nothing happened, and every ten from then on
 */
export function showProgress(
  screen: Screen,
  changeSet: ChangeSet,
  beat: (heartbeat: Heartbeat) => void = () => undefined,
): ProgressView {
  const startedMs = Date.now();
  const writer = screen.live ? pinnedWriter(screen) : plainWriter(screen);
  let view = beginView(changeSet.steps, countChangeSet(changeSet).changes);
  let lastMs = startedMs;
  let eventMs = startedMs;
  const tookMs = (): number => Date.now() - startedMs;
  const print = (text: string): void => {
    lastMs = Date.now();
    writer.print(text);
  };
  const tick = (): void => {
    writer.frame(view);
    const nowMs = Date.now();
    if (nowMs - eventMs >= HEARTBEAT_MS) {
      eventMs = nowMs;
      beat(heartbeatOf(view));
    }
    if (screen.live || nowMs - lastMs < HEARTBEAT_MS) return;
    print([`${progressText(view)} after ${durationText(tookMs())}`, ...waitLines(view, nowMs)].join('\n'));
  };
  const timer = setInterval(tick, screen.live ? FRAME_MS : 1000);
  timer.unref();
  return {
    observe: (event) => {
      const nowMs = Date.now();
      eventMs = nowMs;
      const began = 'step' in event && event.step ? view.inFlight.get(event.step)?.sinceMs : undefined;
      const before = view;
      view = advanceView(view, event, nowMs);
      const text = eventText(event, {
        colour: screen.colour,
        ...(began !== undefined && { tookMs: nowMs - began }),
      });
      if (text !== undefined) print(text);
      for (const batch of batchesEnded(before, view)) print(batchText(batch, { colour: screen.colour }));
    },
    note: print,
    view: () => view,
    tookMs,
    end: () => {
      clearInterval(timer);
      writer.end();
    },
  };
}

interface Writer {
  print(text: string): void;
  frame(view: RunView): void;
  end(): void;
}

function plainWriter(screen: Screen): Writer {
  return { print: (text) => screen.write(`${text}\n`), frame: () => undefined, end: () => undefined };
}

/**
 * Overwrites the pinned lines in place: nothing is cleared before it is written again, so nothing flickers, and no
 * line above them is ever touched.
 */
function pinnedWriter(screen: Screen): Writer {
  let pinned: readonly string[] = [];
  let waiting: string[] = [];
  const draw = (next: readonly string[]): void => {
    if (waiting.length === 0 && next.length === 0 && pinned.length === 0) return;
    const up = pinned.length > 0 ? `${ESC}${pinned.length}A\r` : '';
    const lines = [...waiting.flatMap((text) => text.split('\n')), ...next];
    screen.write(`${up}${lines.map((line) => `${line}${ESC}K\n`).join('')}${ESC}J`);
    waiting = [];
    pinned = next;
  };
  return {
    print: (text) => void waiting.push(text),
    frame: (view) => draw(runFrame(view, { ...screen.size(), nowMs: Date.now(), colour: screen.colour })),
    end: () => draw([]),
  };
}
