import { isJsonObject, textMember, type Json } from '../../../model/json.js';
import { STEP_KEY } from '../../../protocol/endpoint.js';

/** What Windlass wrapped round an author's metadata. */
export interface Envelope {
  /** Key of the step that wrote the record. */
  readonly key: string;
  readonly content: Json;
}

/** The envelope of metadata, `{"d": digest, "k": key, "v": metadata}`; undefined when it has none. */
export function envelopeOf(metadata: string): Envelope | undefined {
  if (!metadata.startsWith('{"d":"')) return undefined;
  try {
    const said = JSON.parse(metadata) as Json;
    const key = textMember(said, 'k') ?? '';
    if (!isJsonObject(said) || !STEP_KEY.test(key) || Object.keys(said).join('') !== 'dkv') return undefined;
    return { key, content: said['v'] ?? null };
  } catch {
    return undefined;
  }
}

/** What a record is found by: the author's metadata as text, then its key. */
export function searchedMetadata(metadata: string): readonly string[] {
  const envelope = envelopeOf(metadata);
  if (!envelope) return [metadata];
  const { key, content } = envelope;
  return [(typeof content === 'string' ? content : JSON.stringify(content)).slice(0, 900), key];
}
