import { events, type EventMethodUntyped, type ParsedABI } from 'micro-eth-signer/abi.js';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';

/** The first topic of an event: keccak-256 of its canonical signature, `0x` hex. */
export function eventSignature(event: JsonObject): string {
  const inputs = Array.isArray(event['inputs']) ? (event['inputs'] as readonly Json[]) : [];
  // Topic 0 depends on the types alone; names are given so that unnamed inputs cannot collide.
  const named = inputs.map((input, index) =>
    isJsonObject(input) ? { ...input, name: `i${String(index)}` } : input,
  );
  const name = typeof event['name'] === 'string' ? event['name'] : '';
  const codecs = events([{ ...event, inputs: named }] as unknown as ParsedABI) as Readonly<
    Record<string, EventMethodUntyped | undefined>
  >;
  const none = Object.fromEntries(named.map((_, index) => [`i${String(index)}`, null]));
  return codecs[name]?.topics(none)[0] ?? '';
}
