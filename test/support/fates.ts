import type { Fate } from './memory-service.js';
import type { Release } from './releasing.js';

/** Every write has a fate of its own, by step (`ID#n`) or endpoint; the first time only, unless `always`. */
export function fates(release: Release, by: Readonly<Record<string, Fate>>, always = false): void {
  const spent = new Set<string>();
  release.service.fate = ({ endpoint }, step) => {
    const key = [step ?? '', (step ?? '').replace(/#\d+$/, ''), endpoint].find((name) => name in by);
    if (key === undefined || (spent.has(key) && !always)) return 'accepted';
    spent.add(key);
    return by[key] ?? 'accepted';
  };
}
