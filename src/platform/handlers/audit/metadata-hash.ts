import { hash, verify } from '@node-rs/bcrypt';

/** bcrypt reads this many bytes of the metadata and no more: what follows them is not covered by the hash. */
export const BCRYPT_BYTES = 72;

/** Hashes at once in this process: more would fill libuv's thread pool and make every file write wait. */
const LANES = 2;

/** Lets `size` tasks run at a time, the others wait their turn in order. */
class Lanes {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

const lanes = new Lanes(LANES);

/**
 * The salted `$2y$` hash of a record's metadata, of its first 72 UTF-8 bytes as PHP's `password_hash` does.
 *
 * @param cost 4 to 31; each step doubles the work
 */
export function hashMetadata(metadata: string, cost: number): Promise<string> {
  // `2b` and `2y` name one algorithm; the service writes PHP's name.
  return lanes.run(async () => (await hash(covered(metadata), cost)).replace(/^\$2b\$/, '$2y$'));
}

/** Whether a hash is of this metadata, as far as bcrypt reads it. */
export function matchesMetadata(metadata: string, metadatahash: string): Promise<boolean> {
  return lanes.run(() => verify(covered(metadata), metadatahash));
}

function covered(metadata: string): Uint8Array {
  return new Uint8Array(Buffer.from(metadata, 'utf8').subarray(0, BCRYPT_BYTES));
}
