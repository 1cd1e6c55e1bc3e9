import type { Journal } from '../execute/ports.js';
import { messageOf, WindlassError } from '../model/error.js';
import { encodeEvents } from '../state/codec.js';
import type { JournalEvent } from '../state/event.js';
import { HOLDER, RECORDS } from './git-chain.js';
import type { GitHome } from './git-home.js';
import { moveRef, writeCommit, type CommitId } from './git-ref.js';

/** Where a journal in Git goes on: the commit with which this run took the lineage. */
export interface JournalStart {
  readonly tip: CommitId;
  /** End of the hash chain there. */
  readonly hash: string;
  /** Id of the run, for subjects of commits. */
  readonly run: string;
}

/**
 * What is known by now and licenses nothing by itself. The next intent stands after it in the chain, so nothing is sent
 * on its strength before it is durable, and nobody needs to wait for it. A callback is none: its sender is answered for it.
 */
const PATIENT: ReadonlySet<JournalEvent['type']> = new Set(['step-answered', 'step-settled']);

/** Longest time that patient records wait for others to share a push with, in milliseconds; never more than a push takes. */
const MAX_LINGER_MS = 500;

/** Records that share a push. */
interface Group {
  /** Settled when the push is. */
  readonly pushed: Promise<void>;
  /** Lets the push begin as soon as the one before it is done. */
  readonly start: () => void;
}

/**
 * The journal of the run that holds a lineage. Each push carries all records that came while the last one was under way,
 * and moves the ref from the very commit that this run left there. So a run whose lineage was taken over fails at its
 * next record, and what is sent only after its record is durable is not sent.
 */
export class GitJournal implements Journal {
  readonly #home: GitHome;
  readonly #run: string;
  #tip: CommitId;
  #hash: string;
  #waiting: string[] = [];
  #records = 0;
  /** The group that takes new records. */
  #group: Group | undefined;
  /** The last group's push. */
  #pushing: Promise<void> = Promise.resolve();
  #lingerMs = 0;
  #broken = false;

  constructor(home: GitHome, start: JournalStart) {
    this.#home = home;
    this.#run = start.run;
    this.#tip = start.tip;
    this.#hash = start.hash;
  }

  /** The last commit that the remote is known to have taken. */
  get tip(): CommitId {
    return this.#tip;
  }

  /** True when a push failed: nothing more may be recorded, and the ref may no longer be this run's. */
  get broken(): boolean {
    return this.#broken;
  }

  /**
   * Durable in the remote when it resolves; answers and outcomes resolve before, and are durable at the latest with the
   * next record that is none.
   *
   * @throws RUN_FENCED, STATE_REMOTE, JOURNAL_WRITE; then for every later call too
   */
  async append(events: readonly JournalEvent[]): Promise<void> {
    const { text, hash } = encodeEvents(this.#hash, events);
    this.#hash = hash;
    this.#waiting.push(text);
    this.#records += events.length;
    const group = (this.#group ??= this.#openGroup());
    if (!this.#broken && events.every(({ type }) => PATIENT.has(type))) {
      setTimeout(group.start, this.#lingerMs);
      return;
    }
    group.start();
    await group.pushed;
  }

  /** Waits until everything that was added is durable. @throws as `append` does */
  async flush(): Promise<void> {
    this.#group?.start();
    await this.#pushing;
  }

  /**
   * Waits for what was added, then frees the lineage. A journal that broke leaves the ref alone.
   *
   * @param files to be kept beside the journal: contents by path
   * @throws STATE_REMOTE when the lineage may still be held
   */
  async release(files: ReadonlyMap<string, string>): Promise<void> {
    await this.flush().catch(() => undefined);
    if (this.#broken) return;
    const changed = new Map<string, string | undefined>([
      ...files,
      [RECORDS, undefined],
      [HOLDER, undefined],
    ]);
    await this.#push(`Release: run ${this.#run}`, changed);
  }

  #openGroup(): Group {
    let start = (): void => undefined;
    const started = new Promise<void>((resolve) => (start = resolve));
    // Never pushes again after a failure: each group waits for the one before it to succeed.
    const pushed = Promise.all([started, this.#pushing]).then(() => this.#pushGroup());
    this.#pushing = pushed;
    // Who has to know is told by `append` and `flush`.
    pushed.catch(() => undefined);
    return { pushed, start };
  }

  async #pushGroup(): Promise<void> {
    const text = this.#waiting.join('');
    const subject = `Record ${this.#records} of run ${this.#run}`;
    this.#waiting = [];
    this.#records = 0;
    this.#group = undefined;
    const began = performance.now();
    await this.#push(subject, new Map([[RECORDS, text]]));
    this.#lingerMs = Math.min(MAX_LINGER_MS, performance.now() - began);
  }

  async #push(subject: string, files: ReadonlyMap<string, string | undefined>): Promise<void> {
    try {
      const commit = await writeCommit(this.#home, { parent: this.#tip, subject, files });
      const outcome = await moveRef(this.#home, this.#tip, commit);
      if (outcome === 'lost') throw fenced(this.#home);
      this.#tip = commit;
    } catch (thrown) {
      this.#broken = true;
      if (thrown instanceof WindlassError && thrown.code !== 'STATE_WRITE') throw thrown;
      throw new WindlassError('JOURNAL_WRITE', `The journal cannot be written: ${messageOf(thrown)}.`, {
        cause: thrown,
      });
    }
  }
}

function fenced({ remote, ref }: GitHome): WindlassError {
  return new WindlassError(
    'RUN_FENCED',
    `Somebody else moved ${ref} of ${remote}; nothing was sent after it.`,
  );
}
