import type { Digest } from '../model/canonical.js';
import type { Json } from '../model/json.js';
import { isBroken, type AttestationFinding } from './attestation-check.js';
import { escapeTerminal } from './escape.js';
import { counted, paletteOf } from './palette.js';

/** What `verify --attestation` found. */
export interface AttestationResult {
  readonly environment: string;
  readonly signature: 'verified' | 'unsigned';
  readonly signedBy?: Digest;
  readonly findings: readonly AttestationFinding[];
}

/** Things of one outcome that are named one by one. */
const MOST_NAMED = 20;

/** The result for people: what does not hold first, then what could not be read, then the count. */
export function attestationText(result: AttestationResult, options: { readonly colour: boolean }): string {
  const palette = paletteOf(options.colour);
  const { findings } = result;
  const broken = findings.filter(isBroken);
  const unread = findings.filter(({ outcome }) => outcome === 'unread');
  const line = ({ what, name, outcome }: AttestationFinding): string =>
    `${(outcome === 'unread' ? palette.change : palette.bad)(outcome)} ${what} ${escapeTerminal(name)}`;
  const signature =
    result.signedBy === undefined
      ? `${palette.change('Not signed')}: it says what it says, but not who says it.`
      : `${palette.good('Signed')} with the key ${result.signedBy}.`;
  return [
    ...broken.slice(0, MOST_NAMED).map(line),
    ...rest(broken.length),
    ...unread.slice(0, MOST_NAMED).map(line),
    ...rest(unread.length),
    signature,
    `${counted(findings.length - broken.length - unread.length, 'attested thing')} of ${findings.length} hold in ${escapeTerminal(result.environment)}.`,
  ].join('\n');
}

/** The document of `verify --attestation --format json`. */
export function attestationJson(result: AttestationResult): Json {
  return JSON.parse(JSON.stringify(result)) as Json;
}

function rest(count: number): readonly string[] {
  return count > MOST_NAMED ? [`… and ${count - MOST_NAMED} more`] : [];
}
