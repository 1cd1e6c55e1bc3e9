import type { FastifyReply, FastifyRequest } from 'fastify';
import { SIGN } from '../../protocol/sign.js';

/** Lets an answer bear the sign of its request; what is no HTTP, Node answers without. */
export function bearSign({ headers }: Pick<FastifyRequest, 'headers'>, reply: FastifyReply): void {
  const sign = headers[SIGN];
  if (sign !== undefined) reply.header(SIGN, sign);
}
