import type { JsonObject } from '../../model/json.js';

/** A shape of the wire as the JSON object it is: interfaces, unlike type aliases, do not say so by themselves. */
export function wire(shape: object): JsonObject {
  return shape as JsonObject;
}
