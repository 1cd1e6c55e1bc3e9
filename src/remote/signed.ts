import { randomUUID } from 'node:crypto';
import { withMembers } from '../model/json.js';
import { SIGN } from '../protocol/sign.js';
import type { HttpResponse, Transport } from './exchange.js';

/** A transport to the embedded platform, on which nothing counts as an answer but what bears the request's {@link SIGN}. */
export function signed(transport: Transport): Transport {
  return {
    exchange: async (request, write) => {
      const sign = randomUUID();
      const headers = withMembers(request.headers, { [SIGN]: sign });
      const exchange = await transport.exchange({ ...request, headers }, write);
      return exchange.type === 'broken' ? exchange : ownAnswer(exchange, sign, write);
    },
    close: () => transport.close(),
  };
}

/**
 * The answer to a request that bore a sign. Without it, it is that of a bad gateway: whatever it says, it proves neither an
 * effect nor that there is none. That a gateway limits reads proves nothing either way.
 */
export function ownAnswer(answer: HttpResponse, sign: string, write: boolean): HttpResponse {
  const { status, headers } = answer;
  if (headers[SIGN] === sign || status >= 500 || (status === 429 && !write)) return answer;
  return { type: 'response', status: 502, headers: {}, body: FOREIGN };
}

const FOREIGN = Buffer.from(
  JSON.stringify({ message: 'something on the way answered in the place of the platform' }),
);
