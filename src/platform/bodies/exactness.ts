import type { FastifyRequest } from 'fastify';
import { inexactnesses, isLoss, type Inexactness } from '../../model/exact-json.js';
import { invalid, type ServiceError } from '../handlers/handler.js';

const noted = new WeakMap<FastifyRequest, readonly Inexactness[]>();

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as the text that they are; undefined when they are no UTF-8: what decoders put in its place is another text. */
export function exactText(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Refuses a JSON body whose value is not what its text says, and notes what would be spelled otherwise when a part of it
 * is written down again.
 *
 * @param text that was parsed
 * @returns a refusal, 422, with each number that would become another one, and each member that is given twice
 */
export function noteExactness(request: FastifyRequest, text: string): ServiceError | undefined {
  const found = inexactnesses(text);
  const lost = found.filter(isLoss);
  if (lost.length > 0) {
    return invalid(
      Object.fromEntries(
        lost.map(({ path, fault }) => {
          const field = path === '' ? 'body' : path;
          const why =
            fault === 'twice' ? 'is given twice.' : 'is a number that would be altered: send it as text.';
          return [field, [`The ${field} field ${why}`]];
        }),
      ),
    );
  }
  noted.set(request, found);
  return undefined;
}

/** What would be spelled otherwise of a request's JSON body; nothing for other bodies. */
export function inexactnessesOf(request: FastifyRequest): readonly Inexactness[] {
  return noted.get(request) ?? [];
}
