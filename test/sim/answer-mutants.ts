import { mutant, type Mutant } from './mutant.js';

/** Rules about what an answer proves, and until when a request may still take effect. */
export const ANSWER_MUTANTS: readonly Mutant[] = [
  mutant(
    'retry-timeout',
    'a time-out proves nothing',
    ['remote/classify.js', "exchange.sent ? 'ambiguous' : 'not_sent'", "'not_sent'"],
    'S2',
  ),
  mutant(
    '5xx-refused',
    'a 5xx proves nothing',
    ['remote/classify.js', 'if (!REFUSALS.has(status) ||', 'if ((!REFUSALS.has(status) && status < 500) ||'],
    'S2',
  ),
  mutant(
    'redirect-refused',
    'a redirect proves nothing',
    [
      'remote/classify.js',
      'if (!REFUSALS.has(status) ||',
      'if ((!REFUSALS.has(status) && (status < 300 || status > 399)) ||',
    ],
    'S2',
  ),
  mutant(
    'cut-answer-refused',
    'a failure inside 2xx, or half an answer, proves nothing',
    [
      'remote/classify.js',
      'if (!REFUSALS.has(status) ||',
      'if ((!REFUSALS.has(status) && status !== 200) ||',
    ],
    'S2',
  ),
  mutant(
    'foreign-answer',
    'only what bears the sign of its request is an answer to it',
    ['remote/signed.js', 'headers[SIGN] === sign ||', 'true ||'],
    'S2, S4, S5',
  ),
  mutant(
    'foreign-limit',
    'that a gateway limits writes does not say that it keeps them',
    ['remote/signed.js', '(status === 429 && !write)', 'status === 429'],
    'S2, S4',
  ),
  mutant(
    'kept-answer',
    'an answer that names what another step was told is not believed',
    ['execute/send.js', '!claims.isToldElsewhere(step, resource, ids)', 'true'],
    'L2, L3',
  ),
  mutant(
    'answer-of-another-name',
    'an answer that tells of a thing of another name is not believed',
    ['kinds/listing.js', 'shown !== undefined && shown !== name', 'false'],
    'S5',
  ),
  mutant(
    'clock-put-back',
    'a time that lies ahead is waited for, because a request may be begun until then',
    ['execute/watch.js', 'Math.max(nowMs, sentMsOf(attempt))', 'nowMs'],
    'S2, S4',
  ),
  mutant(
    'clock-put-back-amid',
    'what was sent before the clock was put back was sent then',
    [
      'execute/watch.js',
      'Math.max(Date.parse(at), answered === undefined ? 0 : Date.parse(answered.at))',
      'Date.parse(answered?.at ?? at)',
    ],
    'S2, S4',
  ),
  mutant(
    'unsigned-refusal',
    'where nothing is signed no refusal counts, not in later runs either',
    ['execute/behind-refusal.js', "if (origin === 'anybody')", 'if (false)'],
    'S2, S4',
  ),
  mutant(
    'bounded-afterwards',
    'what a run sent without signs is not bounded by those of the next',
    [
      'execute/watches.js',
      'recorder.state.isBounded(attempt.step) ? this.#input.pace : unbounded(this.#input.pace)',
      'this.#input.pace',
    ],
    'S2, S4',
  ),
];
