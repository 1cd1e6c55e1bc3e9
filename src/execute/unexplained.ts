import { canonicalJson } from '../model/canonical.js';
import type { KindName } from '../model/id.js';
import { isJsonObject, type Json } from '../model/json.js';
import { idText } from '../kinds/listing.js';
import type { ReadAnswer } from '../kinds/operation.js';
import type { Claims } from './claims.js';
import type { Service } from './ports.js';

/** Tells what a step, or another lineage, explains. */
export type Explained = Pick<Claims, 'isOwned'>;

/** Names in the items of lists. */
const NAMES = ['transactionHash', 'contract_address', 'address', 'id', 'slug'] as const;

/** Reads without what is explained already; each list is read and sifted once. */
export function unexplainedIn(
  service: Pick<Service, 'read'>,
  kind: KindName,
  claims: Explained,
): Pick<Service, 'read'> {
  const asked = new Map<string, Promise<ReadAnswer>>();
  return {
    read: (request) => {
      const key = canonicalJson(request);
      const answer = asked.get(key) ?? service.read(request).then((whole) => sift(whole, kind, claims));
      asked.set(key, answer);
      return answer;
    },
  };
}

function sift(answer: ReadAnswer, kind: KindName, claims: Explained): ReadAnswer {
  if (answer.type !== 'found' || !Array.isArray(answer.value)) return answer;
  const value = (answer.value as readonly Json[]).filter(
    (item) => !isJsonObject(item) || !NAMES.some((name) => claims.isOwned(kind, idText(item[name]) ?? '')),
  );
  return { ...answer, value };
}
