import { parentPort } from 'node:worker_threads';
import { JournalReader } from '../state/journal-reader.js';
import type { ChainOrder, ChainWord } from './chain-order.js';

/** The thread of `chain-check.ts`: checks the records of a journal and their hash chain, and makes nothing of them. */
const reader = new JournalReader({
  applyText: () => 'applied',
  apply: () => undefined,
  learn: () => undefined,
});

parentPort?.on('message', (order: ChainOrder) => {
  say(order.type === 'end' ? { type: 'end', ...endOf(reader) } : wordAbout(order));
});

/** Of a chain that is broken it says only that: where it broke is found by who reads the journal in order. */
function wordAbout({ bytes }: Extract<ChainOrder, { type: 'piece' }>): ChainWord {
  try {
    reader.read(bytes);
    return { type: 'read' };
  } catch {
    return { type: 'broken' };
  }
}

function endOf({ hash, validBytes }: JournalReader): { readonly hash: string; readonly validBytes: number } {
  return { hash, validBytes };
}

function say(word: ChainWord): void {
  parentPort?.postMessage(word, []);
}
