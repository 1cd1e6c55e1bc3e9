import type { Digest } from '../model/canonical.js';

/** Why a file of the plan cannot be used. */
export type FileRefusal =
  | { readonly status: 'missing' }
  /** Absolute, with `..`, or a link that leaves the plan's folder. */
  | { readonly status: 'outside' }
  /** In a folder of Git or Windlass, at any depth: they hold tokens. */
  | { readonly status: 'private' }
  /** A folder, device, pipe or symbolic link. */
  | { readonly status: 'not-regular' }
  /** The system refuses to read it. */
  | { readonly status: 'unreadable'; readonly reason: string }
  | { readonly status: 'too-large'; readonly sizeBytes: number; readonly maxBytes: number };

/** A whole file, read once: `digest` is of exactly these bytes. */
export type FileReading =
  | {
      readonly status: 'ok';
      readonly bytes: Uint8Array;
      readonly digest: Digest;
      readonly sizeBytes: number;
    }
  | FileRefusal;

/** A file that was hashed and not kept: `head` is its first bytes, at most 64, for telling its type. */
export type FileDigest =
  | { readonly status: 'ok'; readonly digest: Digest; readonly sizeBytes: number; readonly head: Uint8Array }
  | FileRefusal;

/** What a pattern matches; `too-many` when the folder holds more than patterns of one plan may look at. */
export type Globbed =
  | { readonly status: 'ok'; readonly paths: readonly string[] }
  | { readonly status: 'too-many'; readonly limit: number };

/**
 * The files beside a plan. Paths are relative to the plan's folder, with `/`; everything outside is refused.
 * Results are values: what is wrong with a file is the author's mistake, not a failure of the run.
 */
export interface PlanFiles {
  /** Regular files that match a pattern (`*`, `?`, `**`, `{a,b}`), sorted by code unit; may be empty. */
  readonly glob: (pattern: string) => Promise<Globbed>;
  /** The whole file; `too-large` beyond `maxBytes`, known before reading. */
  readonly read: (path: string, maxBytes: number) => Promise<FileReading>;
  /** Digest, size and head without holding the bytes. */
  readonly digest: (path: string, maxBytes: number) => Promise<FileDigest>;
}

/** Folders whose files no plan may use, whatever names them. */
const PRIVATE: ReadonlySet<string> = new Set(['.git', '.windlass']);

/** Why a path cannot be one of a plan, told from its text alone; undefined when it can. */
export function pathRefusal(path: string): 'outside' | 'private' | undefined {
  if (path.startsWith('/') || path.startsWith('\\') || /^[A-Za-z]:/.test(path) || path.includes('\0')) {
    return 'outside';
  }
  const parts = path.split(/[/\\]/);
  if (parts.includes('..')) return 'outside';
  return parts.some(isPrivate) ? 'private' : undefined;
}

/** True for a folder that holds tokens, however a system spells it: some do not tell capitals apart. */
export function isPrivate(name: string): boolean {
  return PRIVATE.has(name.toLowerCase().replace(/[. ]+$/, ''));
}

/** The same files; what is read of them is noted in `seen`, by path. */
export function noteFiles(files: PlanFiles, seen: Map<string, Digest>): PlanFiles {
  const noted = async <R extends FileReading | FileDigest>(path: string, reading: Promise<R>): Promise<R> => {
    const found = await reading;
    if (found.status === 'ok') seen.set(path, found.digest);
    return found;
  };
  return {
    glob: files.glob,
    read: (path, maxBytes) => noted(path, files.read(path, maxBytes)),
    digest: (path, maxBytes) => noted(path, files.digest(path, maxBytes)),
  };
}
