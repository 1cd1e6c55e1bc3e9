import { createRequire, Module } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { CompileAnswer, CompileOrder } from './order.js';

interface Solc {
  compile(input: string, callbacks: { readonly import: (path: string) => ImportAnswer }): string;
}
type ImportAnswer = { readonly contents: string } | { readonly error: string };

const require = createRequire(import.meta.url);
let loaded: { readonly compiler: string; readonly solc: Solc } | undefined;

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

function compilerOf({ compiler, soljson }: CompileOrder): Solc {
  if (loaded?.compiler === compiler) return loaded.solc;
  if (soljson === undefined) throw new Error('the compiler is not loaded');
  const wrapper = require('solc/wrapper') as (soljson: unknown) => Solc;
  const module = new Module('soljson') as Module & { _compile(code: string, filename: string): void };
  module._compile(Buffer.from(soljson).toString('utf8'), 'soljson.js');
  const solc = wrapper(module.exports);
  loaded = { compiler, solc };
  return solc;
}

/** Answers an import that is no uploaded file: nothing but what came with the order. */
function importFrom({ files, missing }: CompileOrder, path: string): ImportAnswer {
  if (Object.hasOwn(files, path)) return { contents: files[path] ?? '' };
  const reason = Object.hasOwn(missing, path) ? missing[path] : undefined;
  return {
    error: reason ?? `File not found: ${path} is neither uploaded nor part of a package in packages[].`,
  };
}
