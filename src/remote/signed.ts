import { randomUUID } from 'node:crypto';
import { withMembers } from '../model/json.js';
import { SIGN } from '../protocol/sign.js';
import type { Exchange, Transport } from './exchange.js';

/** A transport to the embedded platform, on which nothing counts as an answer but what bears the request's {@link SIGN}. */
export function signed(transport: Transport): Transport {
  return {
    exchange: async (request, write) => {
      const sign = randomUUID();
      const headers = withMembers(request.headers, { [SIGN]: sign });
      return ownAnswer(await transport.exchange({ ...request, headers }, write), sign);
    },
    close: () => transport.close(),
  };
}

/**
 * What came of a request that bore a sign. An answer without it is that of a bad gateway: whatever it says, it proves neither
 * an effect nor that there is none.
 */
export function ownAnswer(exchange: Exchange, sign: string): Exchange {
  if (exchange.type === 'broken' || exchange.headers[SIGN] === sign || exchange.status >= 500)
    return exchange;
  return { ...exchange, status: 502, body: FOREIGN };
}

const FOREIGN = Buffer.from(
  JSON.stringify({
    message: 'something on the way answered in the place of the platform',
  }),
);
