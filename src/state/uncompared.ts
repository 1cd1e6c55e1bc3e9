import type { Json } from '../model/json.js';
import type { Outputs } from './event.js';

/**
 * Inputs of an adopted thing that no read showed, by their paths. They are locked on a person's word, so nothing may be
 * said of them: neither that they match, nor that they do not. Empty for everything that Windlass made.
 */
export function uncomparedIn({ uncompared }: Outputs): readonly string[] {
  return Array.isArray(uncompared) ? (uncompared as readonly Json[]).map(String) : [];
}
