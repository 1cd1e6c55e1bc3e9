import { escapeHtml } from './escape.js';
import { codeHtml, foldedHtml, MOST_NAMED, MOST_OPEN, restHtml, tableHtml } from './page.js';
import { counted, grouped } from './palette.js';
import type { Receipt } from './run-timeline.js';

/** What was made, with its proof; many receipts are folded away below a line that counts them by their evidence. */
export function receiptsHtml(receipts: readonly Receipt[]): string {
  const rows = receipts
    .slice(0, MOST_NAMED)
    .map(({ id, address, tokenId, transaction, block, grade }) => [
      codeHtml(id),
      address === undefined
        ? escapeHtml(tokenId === undefined ? '' : `token ${tokenId}`)
        : `<span class="address">${codeHtml(address)}</span>`,
      transaction === undefined ? '' : codeHtml(transaction),
      block === undefined ? '' : grouped(block),
      `<abbr title="${GRADES[grade]}">${grade}</abbr>`,
    ]);
  const table =
    tableHtml(['resource', 'address or token', 'transaction', 'block', 'evidence'], rows) +
    restHtml(receipts.length, MOST_NAMED);
  if (receipts.length <= MOST_OPEN) return table;
  const grades = (Object.keys(GRADES) as (keyof typeof GRADES)[]).flatMap((grade) => {
    const count = receipts.filter((receipt) => receipt.grade === grade).length;
    return count === 0 ? [] : [`${grouped(count)} ${GRADES[grade]}`];
  });
  return foldedHtml('proofs', `${counted(receipts.length, 'receipt')}: ${grades.join('; ')}`, table);
}

const GRADES = {
  A: 'seen on the chain, or by two sources',
  B: 'read from the platform',
  C: 'told by a callback only',
  D: 'told by the answer only',
  O: 'a person said so',
} as const;
