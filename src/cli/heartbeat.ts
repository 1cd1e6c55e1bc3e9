import { durationText } from '../report/duration.js';
import { printNote, type Terminal } from './terminal.js';

/** A line at least so often, so that nobody takes long work for a hang. */
const LINE_MS = 9000;

/**
 * Waits for work, and says now and then that it goes on.
 *
 * @param doing what it is, e.g. `Reading the platform`
 * @param everyMs milliseconds between two lines; 9000
 */
export async function withHeartbeat<T>(
  terminal: Terminal,
  doing: string,
  work: Promise<T>,
  everyMs = LINE_MS,
): Promise<T> {
  const beganMs = Date.now();
  const timer = setInterval(() => {
    printNote(terminal, `${doing}, ${durationText(Date.now() - beganMs)} so far.`);
  }, everyMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
