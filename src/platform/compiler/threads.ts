import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { CompileAnswer, CompileOrder } from './order.js';

interface Thread {
  readonly worker: Worker;
  soljson: string;
  busy: boolean;
  idle: NodeJS.Timeout | undefined;
}

/** Time that one compilation gets, in milliseconds. */
const TIMEOUT = 120_000;

/** Memory of one compiler thread: of its JavaScript, and of the compiler itself, in MiB. */
const MEMORY = 1024;

/** What one thread may use. */
export interface ThreadCaps {
  /** Time that one compilation gets, in milliseconds; 120,000 by default. */
  readonly time?: number;
  /** Memory of the compiler, in MiB; 1024 by default. */
  readonly memory?: number;
}

/** How a compiler says that the error is its own; it may then have lost its footing. */
const BROKEN =
  /"type":"(?:Exception|InternalCompilerError|UnimplementedFeatureError|FatalError)"|Internal exception/;

/** Time after which an unused thread gives its memory back (about 200 MB), in milliseconds. */
const IDLE = 300_000;

/**
 * Threads that each keep one compiler loaded, so that the next version with it compiles at once. An order for another
 * compiler replaces an idle thread.
 */
export class CompilerThreads {
  readonly #limit: number;
  readonly #time: number;
  readonly #memory: number;
  readonly #threads = new Set<Thread>();

  /** @param limit orders at a time; the caller keeps to it */
  constructor(limit: number, { time = TIMEOUT, memory = MEMORY }: ThreadCaps = {}) {
    this.#limit = limit;
    this.#time = time;
    this.#memory = memory;
  }

  /**
   * Runs one order. A thread that takes too long, or dies, is ended: the order then answers a failure. So is one whose
   * compiler broke off in the middle, because nothing that it says afterwards can be believed.
   */
  async run(order: CompileOrder): Promise<CompileAnswer> {
    const thread = await this.#threadFor(order.soljson);
    clearTimeout(thread.idle);
    const answer = await this.#ask(thread, order);
    if (answer === undefined) {
      await this.#end(thread);
      return { failure: 'the compiler ended without an answer, or took too long' };
    }
    if ('failure' in answer || BROKEN.test(answer.output)) {
      await this.#end(thread);
      return answer;
    }
    thread.busy = false;
    thread.idle = setTimeout(() => void this.#end(thread), IDLE).unref();
    return answer;
  }

  /** Ends all threads, whatever they do. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)));
  }

  /** A thread for this order alone: it counts as busy before anybody else can look for one. */
  async #threadFor(soljson: string): Promise<Thread> {
    const idle = [...this.#threads].filter((thread) => !thread.busy);
    const warm = idle.find((thread) => thread.soljson === soljson);
    if (warm) {
      warm.busy = true;
      return warm;
    }
    if (this.#threads.size >= this.#limit && idle[0]) await this.#end(idle[0]);
    // None of the process's own flags: they may be for the main script only.
    const worker = new Worker(workerFile(), {
      // Old compilers are asm.js that V8 takes as plain JavaScript, and warns of.
      execArgv: ['--no-warnings'],
      workerData: { memory: this.#memory },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    });
    worker.unref();
    worker.on('error', () => undefined);
    const thread: Thread = { worker, soljson, busy: true, idle: undefined };
    this.#threads.add(thread);
    return thread;
  }

  #ask({ worker }: Thread, order: CompileOrder): Promise<CompileAnswer | undefined> {
    return new Promise((resolve) => {
      const settle = (answer?: CompileAnswer): void => {
        clearTimeout(timer);
        worker.off('message', settle);
        worker.off('exit', lost);
        resolve(answer);
      };
      const lost = (): void => {
        settle();
      };
      const timer = setTimeout(lost, this.#time);
      worker.on('message', settle);
      worker.on('exit', lost);
      worker.postMessage(order, []);
    });
  }

  async #end(thread: Thread): Promise<void> {
    this.#threads.delete(thread);
    clearTimeout(thread.idle);
    await thread.worker.terminate();
  }
}

/** The thread's code. A test runs the sources, which a thread cannot: it uses the build beside them. */
function workerFile(): URL {
  const beside = new URL('./worker.js', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../../dist/platform/compiler/worker.js', import.meta.url);
}
