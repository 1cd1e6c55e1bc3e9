import { parseStepId, type ResourceId } from '../../src/model/id.js';
import { decodeJournal, type DecodedJournal } from '../../src/state/codec.js';
import type { JournalEvent } from '../../src/state/event.js';
import { formatLock } from '../../src/state/lockfile-text.js';
import { LineageState } from '../../src/state/project.js';
import type { World } from './world.js';

const NEWLINE = 0x0a;

/** Invariants that are about the journal itself. */
export class JournalChecks {
  readonly #world: World;
  /** What appends promised to keep. */
  #kept: Buffer = Buffer.alloc(0);
  #bytes = Buffer.allocUnsafe(16_384);
  /** What was looked at when the last process ended. */
  #restedBytes = -1;
  #lockfile = '';
  #decoded: { readonly bytes: Buffer; readonly journal: DecodedJournal } | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** An append returned: all that is durable now must be there for ever. */
  kept(events: readonly JournalEvent[], durable: Buffer | undefined): void {
    const last = JSON.stringify(events.at(-1));
    this.#world.check(
      (durable?.lastIndexOf(last) ?? -1) >= 0,
      'S10',
      () => 'an append returned before it was durable',
    );
    if (durable !== undefined) this.#keep(durable);
  }

  /** S10: what was kept is what is found, and a torn end is gone. */
  opened(bytes: Buffer): void {
    const isKept = bytes.subarray(0, this.#kept.length).equals(this.#kept);
    this.#world.check(isKept, 'S10', () => `the journal lost what an append had promised to keep`);
    const isWhole = bytes.length === 0 || bytes.at(-1) === NEWLINE;
    this.#world.check(isWhole, 'S10', () => 'a torn end is still there after the journal was opened');
    this.#kept = Buffer.alloc(0);
    this.#keep(bytes);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * bytes.length);
      this.#kept.copy(larger);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#kept.length, this.#kept.length);
    this.#kept = this.#bytes.subarray(0, bytes.length);
  }

  /** What a journal holds; the same bytes are decoded once. */
  decoded(bytes: Buffer): DecodedJournal {
    if (this.#decoded === undefined || !this.#decoded.bytes.equals(bytes))
      this.#decoded = { bytes: Buffer.from(bytes), journal: decodeJournal(bytes) };
    return this.#decoded.journal;
  }

  /** S3, S11 of everything on the disk now. S10: recovering twice is recovering once. */
  atRest(journal: Buffer | undefined, lockfile: Buffer | undefined): void {
    if (journal === undefined || journal.length === this.#restedBytes) return;
    this.#restedBytes = journal.length;
    const { events, validBytes } = this.decoded(journal);
    checkLicences(this.#world, events);
    const isTorn = validBytes !== journal.length;
    const again = isTorn ? decodeJournal(journal.subarray(0, validBytes)).events.length : events.length;
    this.#world.check(again === events.length, 'S10', () => 'a second recovery finds other records');
    const text = lockfile?.toString() ?? this.#lockfile;
    if (text === this.#lockfile) return;
    this.#lockfile = text;
    const serial = Number(/"serial": (\d+)/.exec(text)?.[1]);
    const state = new LineageState();
    const isProjection = events.some((event) => {
      state.apply(event);
      return state.lock?.serial === serial && formatLock(state.lock).main === text;
    });
    this.#world.check(isProjection, 'S11', () => 'the lockfile is at no time what the journal amounts to');
  }
}

/** S3: between two attempts for a resource stands the proof that the first had no effect. */
function checkLicences(world: World, events: readonly JournalEvent[]): void {
  const closed = new Map<string, boolean>();
  const latest = new Map<ResourceId, string>();
  for (const event of events) {
    if (event.type === 'step-intended') {
      for (const id of event.resources) {
        const earlier = latest.get(id);
        const free =
          earlier === undefined || closed.get(earlier) === true || event.operation === 'version.update';
        world.check(free, 'S3', () => `${event.step} is intended while ${earlier} may have had its effect`);
        latest.set(id, event.step);
      }
      world.check(parseStepId(event.step) !== undefined, 'S3', () => `${event.step} is no step`);
    }
    if (event.type === 'step-answered' && (event.outcome === 'rejected' || event.outcome === 'not_sent'))
      closed.set(event.step, true);
    if (event.type === 'step-settled') closed.set(event.step, event.state === 'failed');
    // A sign of its effect takes the proof back.
    if (event.type === 'step-duplicated') closed.set(event.step, false);
    if (event.type === 'step-resolved') closed.set(event.step, event.decision === 'absent');
  }
}
