// Loaded into processes that tests start: writes every exchange of their platform beside the others.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env['WINDLASS_TEST_EXCHANGES'];
if (folder !== undefined) {
  const file = join(folder, `${process.pid}.ndjson`);
  subscribe('windlass.platform.exchange', (exchange) => {
    appendFileSync(file, `${JSON.stringify(exchange)}\n`);
  });
}
