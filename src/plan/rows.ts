import { decodeUtf8 } from './file-problems.js';
import { readCsv } from './rows-csv.js';
import { readNdjson } from './rows-ndjson.js';
import { fault, START, type RowsReading } from './rows-reading.js';

/**
 * Reads rows from UTF-8 bytes: CSV (RFC 4180 with `,`, `;` or tab, header line, BOM and any line end) or NDJSON
 * (one flat object per line). Cells are kept as they stand, spaces included.
 */
export async function readRows(bytes: Uint8Array, format: 'csv' | 'ndjson'): Promise<RowsReading> {
  const text = decodeUtf8(bytes);
  if (text === undefined || text.includes('\0')) return fault(START, ...encodingFault(bytes));
  return format === 'csv' ? readCsv(text) : readNdjson(text);
}

function encodingFault(bytes: Uint8Array): [string, string] {
  const isWide = bytes.includes(0);
  const found = isWide ? 'UTF-16' : 'not UTF-8, probably Windows-1252';
  return [`The file is ${found}.`, 'Save it as "CSV UTF-8".'];
}
