import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { CompileAnswer, CompileOrder } from './order.js';

interface Solc {
  compile(input: string, callbacks: { readonly import: (path: string) => ImportAnswer }): string;
}
type ImportAnswer = { readonly contents: string } | { readonly error: string };

const require = createRequire(import.meta.url);
let loaded: { readonly path: string; readonly solc: Solc } | undefined;

const PAGE = 65_536;
const MEBIBYTE = 1_048_576;

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow: (this: WasmMemory, pages: number) => number;
}

interface MemoryClass {
  readonly prototype: WasmMemory;
}

/**
 * Limits the memory that a compiler takes: V8's own limits do not count WebAssembly. A compiler that is refused more
 * gives up, and the order answers a failure.
 */
function capMemory(mebibytes: number): void {
  const { prototype } = (globalThis as unknown as { readonly WebAssembly: { readonly Memory: MemoryClass } })
    .WebAssembly.Memory;
  const grow = prototype.grow;
  prototype.grow = function capped(this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * PAGE > mebibytes * MEBIBYTE) {
      throw new RangeError('the compiler may take no more memory');
    }
    return grow.call(this, pages);
  };
}

capMemory((workerData as { readonly memory: number }).memory);

/** Compiles what the main thread orders, one after another, and keeps the compiler loaded in between. */
parentPort?.on('message', (order: CompileOrder) => {
  parentPort?.postMessage(answerTo(order), []);
});

function answerTo(order: CompileOrder): CompileAnswer {
  try {
    const solc = compilerOf(order);
    return { output: solc.compile(order.input, { import: (path) => importFrom(order, path) }) };
  } catch (cause) {
    return { failure: cause instanceof Error ? cause.message : String(cause) };
  }
}

function compilerOf({ soljson, sha256 }: CompileOrder): Solc {
  if (loaded?.path === soljson) return loaded.solc;
  if (sha256 !== undefined && createHash('sha256').update(readFileSync(soljson)).digest('hex') !== sha256) {
    throw new Error('the cached compiler was changed after it was fetched; remove it from the cache');
  }
  const wrapper = require('solc/wrapper') as (soljson: unknown) => Solc;
  const solc = wrapper(require(soljson));
  loaded = { path: soljson, solc };
  return solc;
}

/** Answers an import that is no uploaded file: only regular files below the allowed packages. */
function importFrom({ packages, names }: CompileOrder, path: string): ImportAnswer {
  const parts = path.split('/');
  const name = parts.slice(0, path.startsWith('@') ? 2 : 1).join('/');
  const plain = parts.every((part) => part !== '' && part !== '.' && part !== '..') && !/[\\\0]/.test(path);
  if (!plain) return { error: `Import path not allowed: ${path}` };
  if (packages === undefined || !names.includes(name)) {
    return { error: `File not found: ${path} is neither uploaded nor part of a package in packages[].` };
  }
  try {
    const root = realpathSync(join(packages, name));
    const file = realpathSync(join(packages, path));
    if (!file.startsWith(root + sep)) return { error: `Import path not allowed: ${path}` };
    return { contents: readFileSync(file, 'utf8') };
  } catch {
    return {
      error: `File not found: the package ${name} has no ${parts.slice(name.split('/').length).join('/')}.`,
    };
  }
}
