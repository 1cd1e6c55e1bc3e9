import { setTimeout as sleep } from 'node:timers/promises';
import { WindlassError } from '../model/error.js';
import { runGit } from './git-command.js';
import { own, type GitHome } from './git-home.js';

/** Name of a commit. */
export type CommitId = string;

/** What a commit on the ref changes against the one before; files that are not named stay. */
export interface GitChange {
  readonly parent: CommitId | undefined;
  /** One line for people. */
  readonly subject: string;
  /** Contents by path; undefined removes. */
  readonly files: ReadonlyMap<string, string | Uint8Array | undefined>;
}

/** Pauses before a push whose fate is not known, or that was refused for the moment, is tried again, in milliseconds. */
const PAUSES_MS = [200, 1000, 3000];

/** Time in which a remote names one ref. */
const ANSWER_MS = 15_000;

/** In our own repository: the newest commit that is known, from which fetches and pushes save work. */
const TIP = 'refs/tip';

/** The value of the ref in the remote; undefined when there is no such ref. @throws STATE_REMOTE */
export async function readRef(home: GitHome): Promise<CommitId | undefined> {
  const args = ['ls-remote', '--quiet', '--refs', home.remote, home.ref];
  const { code, stdout, message } = await runGit(home.place, { args, timeoutMs: ANSWER_MS });
  if (code === -1) throw unreachable(home, `no answer came within ${ANSWER_MS / 1000} s`);
  if (code !== 0) throw unreachable(home, message);
  for (const line of stdout.toString('utf8').split('\n')) {
    const [id = '', name] = line.split('\t');
    if (name === home.ref && /^[0-9a-f]{40,64}$/.test(id)) return id;
  }
  return undefined;
}

/** Makes a commit of the remote, with all before it, present here. @throws STATE_REMOTE */
export async function fetchCommit(home: GitHome, id: CommitId): Promise<void> {
  if (await isPresent(home, id)) return;
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--refmap=', home.remote, home.ref];
  const { code, message } = await runGit(home.place, { args });
  if (code !== 0) throw unreachable(home, message);
  if (!(await isPresent(home, id))) throw unreachable(home, 'the ref changed while it was read');
  // Two processes may do this at once; whichever wins, what it names is there.
  await runGit(home.place, { args: ['update-ref', TIP, id] });
}

/** Writes a commit into our own repository; the remote does not know of it yet. @throws STATE_WRITE */
export async function writeCommit(home: GitHome, change: GitChange): Promise<CommitId> {
  const parts: Uint8Array[] = [];
  const put = (text: string): void => void parts.push(Buffer.from(text));
  const data = (bytes: string | Uint8Array): void => {
    const buffer = Buffer.from(bytes);
    put(`data ${buffer.length}\n`);
    parts.push(buffer);
    put('\n');
  };
  put(
    `commit ${TIP}\nmark :1\ncommitter Windlass <windlass@localhost> ${Math.floor(Date.now() / 1000)} +0000\n`,
  );
  data(`${change.subject}\n`);
  if (change.parent !== undefined) put(`from ${change.parent}\n`);
  for (const [path, content] of change.files) {
    put(content === undefined ? `D ${path}\n` : `M 100644 inline ${path}\n`);
    if (content !== undefined) data(content);
  }
  put('get-mark :1\ndone\n');
  const output = await own(home, {
    args: ['fast-import', '--quiet', '--force', '--done'],
    input: Buffer.concat(parts),
  });
  return output.toString('utf8').trim();
}

/**
 * Moves the ref of the remote from one value to another, if nobody else moved it: the server compares and swaps. When an
 * answer is lost, the ref is read back; repeating the same move is harmless, because a commit stands for itself.
 *
 * @param from undefined: the ref must not exist yet
 * @returns `lost` when the ref has a third value: somebody else moved it
 * @throws STATE_REMOTE when it cannot be known, or when the remote refuses; the move may still happen
 */
export async function moveRef(
  home: GitHome,
  from: CommitId | undefined,
  to: CommitId,
): Promise<'moved' | 'lost'> {
  const lease = `--force-with-lease=${home.ref}:${from ?? ''}`;
  const flags = ['--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', '--recurse-submodules=no'];
  const args = ['push', ...flags, lease, home.remote, `${to}:${home.ref}`];
  let reason = '';
  for (const pauseMs of [0, ...PAUSES_MS]) {
    if (pauseMs > 0) await sleep(pauseMs);
    const pushed = await runGit(home.place, { args });
    if (pushed.code === 0) return 'moved';
    reason = pushed.message || reason;
    const now = await readRef(home).catch(() => 'unknown' as const);
    if (now === 'unknown') continue;
    if (now === to) return 'moved';
    if (now !== from) return 'lost';
  }
  throw unreachable(home, reason);
}

async function isPresent(home: GitHome, id: CommitId): Promise<boolean> {
  // `-e` looks at the commit alone; the chain is read whole afterwards.
  const { code } = await runGit(home.place, { args: ['cat-file', '-e', `${id}^{commit}`] });
  return code === 0;
}

function unreachable(home: GitHome, reason: string): WindlassError {
  const why = reason === '' ? 'no answer came' : reason;
  return new WindlassError('STATE_REMOTE', `The remote ${home.remote} does not serve ${home.ref}: ${why}.`);
}
