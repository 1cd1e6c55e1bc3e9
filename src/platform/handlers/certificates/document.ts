import { inexactnesses } from '../../../model/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';
import { shapeFault } from '../../bodies/json-shape.js';

/** What a certificate says of itself. */
export interface CertificateText {
  readonly name: string;
  readonly description: string;
  /** Absolute URL of the image. */
  readonly image: string;
  /** As the request gave them. */
  readonly attributes: readonly Json[];
}

/** The attributes of a request: an array, or the JSON text of one that keeps its words; undefined when it is neither. */
export function attributesOf(value: Json | undefined): readonly Json[] | undefined {
  const parsed = typeof value === 'string' ? parse(value) : (value ?? []);
  return Array.isArray(parsed) ? (parsed as readonly Json[]) : undefined;
}

/**
 * The ERC-721 metadata document. Attributes keep their `trait`, as the interface writes them, and gain the
 * `trait_type` that wallets read.
 */
export function certificateDocument(text: CertificateText): JsonObject {
  const { name, description, image } = text;
  return { name, description, image, attributes: text.attributes.map(readable) };
}

function readable(attribute: Json): Json {
  if (!isJsonObject(attribute)) return attribute;
  const { trait } = attribute as { readonly trait?: Json };
  if (trait === undefined || 'trait_type' in attribute) return attribute;
  return { ...attribute, trait_type: trait };
}

function parse(text: string): Json | undefined {
  if (shapeFault(Buffer.from(text)) !== undefined) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return inexactnesses(text).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
