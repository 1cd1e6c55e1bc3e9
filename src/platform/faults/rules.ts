/** A request that is refused before anything is done, in the service's own words unless others are given. */
interface Refuse {
  readonly kind: 'refuse';
  readonly status: number;
  readonly message?: string;
}

/** An answer with a server error; `committed`: although the work was done. */
interface ErrorStatus {
  readonly kind: 'status';
  readonly code: number;
  readonly committed: boolean;
}

/** 429 with the time to wait, in milliseconds; nothing is done. */
interface TooMany {
  readonly kind: 'too_many';
  readonly after: number;
}

/** An answer that comes later by so many milliseconds; `before`: the work begins later. */
export interface Slow {
  readonly kind: 'slow';
  readonly by: number;
  readonly before: boolean;
}

/** A connection that is closed, before anything is done, or instead of the answer, or in the middle of it. */
interface Cut {
  readonly kind: 'drop_before_commit' | 'drop_after_commit' | 'cut_reply';
}

/** What may befall a request. */
export type RequestFault = Refuse | ErrorStatus | TooMany | Slow | Cut;

/** A callback that comes later by so many milliseconds of the platform's clock. */
interface Late {
  readonly kind: 'late';
  readonly by: number;
}

/** Never sent; sent twice; held until the organisation's next callback was sent. */
interface Astray {
  readonly kind: 'lost' | 'twice' | 'reordered';
}

/** Claims of a forged callback: that it went well, that it failed, or what has another attempt's token. */
export const FORGERIES = ['success', 'failure', 'stranger'] as const;

/** What a body of a wrong shape is instead of the documented one. */
export const SHAPES = ['not_json', 'empty', 'list', 'nested', 'renamed'] as const;

/** A false callback that comes before the true one; without `as` the seed chooses. */
interface Forged {
  readonly kind: 'forged';
  readonly as?: (typeof FORGERIES)[number];
}

/** A body that is not of the documented shape, in place of the true one; without `as` the seed chooses. */
interface WrongShape {
  readonly kind: 'wrong_shape';
  readonly as?: (typeof SHAPES)[number];
}

/** What may befall a callback. */
export type CallbackFault = Late | Astray | Forged | WrongShape;

/** What may befall a request or a callback. */
export type Fault = RequestFault | CallbackFault;

/** Whose requests or callbacks a rule is about. Patterns know `*`: any characters, none too. All that is given must fit. */
interface Scope {
  /** Name of an organisation, or `*`; without it that of whoever sets the rule. */
  readonly organisation?: string;
  /** Slug of the project, or a pattern of slugs: of versions, deployments and their callbacks. */
  readonly project?: string;
}

/** Requests that a rule is about. */
export interface RequestMatch extends Scope {
  /** Name of an operation (`certificate.mint`), or a pattern of names. */
  readonly operation?: string;
  readonly method?: string;
  /** Path without the query, or a pattern of paths. */
  readonly path?: string;
  /** Text that stands in a field of the request: the name of a certificate, the digest of a record. */
  readonly marker?: string;
}

/** Callbacks that a rule is about. */
export interface CallbackMatch extends Scope {
  /** What the callback tells of (`deployment`, `audit-record`), or a pattern. */
  readonly of?: string;
  /** Which of its sendings, from 1; without it the first. What somebody sends again by hand is none of the first. */
  readonly attempt?: readonly number[] | 'any';
}

/**
 * Which of its events a rule befalls. Events are counted from 1 by each rule for itself, those skipped by `after` not;
 * all conditions that are given must hold.
 */
export interface Times {
  /** These events. */
  readonly nth?: readonly number[];
  /** Each event whose number is a multiple. */
  readonly every?: number;
  /** Probability from 0 to 1: drawn from the seed, the rule's name and the number of the event. */
  readonly chance?: number;
  /** As many events, then no more. */
  readonly first?: number;
  /** Events that pass before any is counted. */
  readonly after?: number;
}

/** One rule: what befalls which requests or callbacks, and how often. */
export interface FaultRule {
  /** Unique among the rules of whoever sets it. */
  readonly name?: string;
  readonly request?: RequestMatch;
  readonly callback?: CallbackMatch;
  readonly when: Times;
  readonly fault: Fault;
}

/** A document of rules. */
export interface FaultRules {
  /** 0 to 2^32 - 1; undefined: whoever applies the rules draws one. */
  readonly seed?: number;
  readonly rules: readonly FaultRule[];
}

/** What a callback may tell of. */
export const CALLBACK_KINDS = [
  'deployment',
  'audit-contract',
  'audit-record',
  'certificate-contract',
  'certificate',
  'certificate-owner',
  'execution',
] as const;

/** True when a text fits a pattern, whose `*` stand for any characters. Takes time for the lengths' product at most. */
export function fitsPattern(pattern: string, text: string): boolean {
  let [p, t] = [0, 0];
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p;
      resume = t;
      p += 1;
    } else if (pattern[p] === text[t]) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      p = star + 1;
      resume += 1;
      t = resume;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}

/** A fault as documents and logs write it: `{"slow": {"by": "200ms", "before": false}}`. */
export function faultJson({
  kind,
  ...members
}: Fault): Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>> {
  const texts = Object.entries(members).map(([name, value]) => {
    const isTime = name === 'by' || name === 'after';
    return [name, isTime ? `${String(value)}ms` : (value as string | number | boolean)] as const;
  });
  return { [kind]: Object.fromEntries(texts) };
}
