import type { FastifyReply, FastifyRequest } from 'fastify';
import { SIGN } from '../../protocol/sign.js';

/** Lets an answer, whatever it is, bear the sign of its request. */
export function bearSign({ headers }: Pick<FastifyRequest, 'headers'>, reply: FastifyReply): void {
  const sign = headers[SIGN];
  if (sign !== undefined) reply.header(SIGN, sign);
}
