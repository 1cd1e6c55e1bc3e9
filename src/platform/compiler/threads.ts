import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { CompileAnswer, CompileOrder } from './order.js';

interface Thread {
  readonly worker: Worker;
  /** The compiler that it has loaded; empty before the first. */
  compiler: string;
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
   *
   * @param load the compiler's code, asked for when no thread has it loaded; what it throws is thrown
   */
  async run(order: Omit<CompileOrder, 'soljson'>, load: () => Promise<Uint8Array>): Promise<CompileAnswer> {
    const thread = await this.#threadFor(order.compiler);
    clearTimeout(thread.idle);
    const answer = await this.#loadAndAsk(thread, order, load);
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

  async #loadAndAsk(
    thread: Thread,
    order: Omit<CompileOrder, 'soljson'>,
    load: () => Promise<Uint8Array>,
  ): Promise<CompileAnswer | undefined> {
    if (thread.compiler === order.compiler) return this.#ask(thread, order);
    try {
      const soljson = await load();
      thread.compiler = order.compiler;
      return await this.#ask(thread, { ...order, soljson });
    } catch (cause) {
      await this.#end(thread);
      throw cause;
    }
  }

  /** Ends all threads, whatever they do. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)));
  }

  /** A thread for this order alone: it counts as busy before anybody else can look for one. */
  async #threadFor(compiler: string): Promise<Thread> {
    const idle = [...this.#threads].filter((thread) => !thread.busy);
    const warm = idle.find((thread) => thread.compiler === compiler);
    if (warm) {
      warm.busy = true;
      return warm;
    }
    if (this.#threads.size >= this.#limit && idle[0]) await this.#end(idle[0]);
    // None of the process's own flags, which may be for the main script only, and nothing of its environment.
    const worker = new Worker(workerFile(), {
      // Old compilers are asm.js that V8 takes as plain JavaScript, and warns of.
      execArgv: ['--no-warnings'],
      env: {},
      argv: [],
      workerData: { memory: this.#memory },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    });
    worker.unref();
    worker.on('error', () => undefined);
    const thread: Thread = { worker, compiler: '', busy: true, idle: undefined };
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
