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
  /** The group that takes new records; settled when its push is. */
  #group: Promise<void> | undefined;
  /** The group on its way to the remote. */
  #pushing: Promise<void> = Promise.resolve();
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

  /** Durable in the remote when it resolves. @throws RUN_FENCED, STATE_REMOTE, JOURNAL_WRITE; then for every later call too */
  append(events: readonly JournalEvent[]): Promise<void> {
    const { text, hash } = encodeEvents(this.#hash, events);
    this.#hash = hash;
    this.#waiting.push(text);
    this.#records += events.length;
    if (this.#group === undefined) {
      const group = this.#pushing.then(() => this.#flush());
      this.#group = group;
      this.#pushing = group;
    }
    return this.#group;
  }

  /**
   * Waits for what was added, then frees the lineage. A journal that broke leaves the ref alone.
   *
   * @param files to be kept beside the journal: contents by path
   * @throws STATE_REMOTE when the lineage may still be held
   */
  async release(files: ReadonlyMap<string, string>): Promise<void> {
    await this.#pushing.catch(() => undefined);
    if (this.#broken) return;
    const changed = new Map<string, string | undefined>([
      ...files,
      [RECORDS, undefined],
      [HOLDER, undefined],
    ]);
    await this.#push(`Release: run ${this.#run}`, changed);
  }

  /** Never runs again after a failure: each group waits for the one before it to succeed. */
  async #flush(): Promise<void> {
    const text = this.#waiting.join('');
    const subject = `Record ${this.#records} of run ${this.#run}`;
    this.#waiting = [];
    this.#records = 0;
    this.#group = undefined;
    await this.#push(subject, new Map([[RECORDS, text]]));
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
