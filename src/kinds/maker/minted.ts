import { isJsonObject, textMember, type JsonObject } from '../../model/json.js';
import type { Known, ReadAnswer, ReadRequest } from '../operation.js';
import { documentDiffers, MOST_ASKED, sortListed, type Sorted } from './listed.js';

/** The documents of mints that no mark tells apart: they say whose mint it is. @param mints new ones to our receiver */
export function documentReads(mints: readonly JsonObject[]): readonly ReadRequest[] {
  return withDocument(mints).map(({ url }): ReadRequest => ({ type: 'file', url }));
}

/**
 * Which of the mints say what was sent, and which something else. A mint without a readable document may be ours.
 *
 * @param documents answers to {@link documentReads}
 */
export function byDocument(
  known: Known,
  mints: readonly JsonObject[],
  documents: readonly ReadAnswer[],
): Sorted {
  const [id] = known.resources;
  const sent = id === undefined ? undefined : known.inputs?.[id];
  const asked = new Map(withDocument(mints).map(({ item }, index) => [item, documents[index]]));
  const listed = mints.map((item) => ({ item, answer: asked.get(item) }));
  return sortListed(listed, 'certificate', ({ answer }) =>
    isJsonObject(sent) && documentDiffers(answer, sent) ? ['parameters'] : [],
  );
}

function withDocument(
  mints: readonly JsonObject[],
): readonly { readonly item: JsonObject; readonly url: string }[] {
  const all = mints.flatMap((item) => {
    const url = textMember(item, 'certificate');
    return url === undefined ? [] : [{ item, url }];
  });
  return all.slice(0, MOST_ASKED);
}
