import { ANSWER_MUTANTS } from './answer-mutants.js';
import { mutant, type Mutant } from './mutant.js';

const BELIEVED = 'known.late && success === undefined && answersAll(answers) && isToldFailed(rules, known)';
const LICENCE = [
  'if (isAnew)\n        await reopenEffective(planned, sender);',
  'const step = sender.recorder.state.nextStep(planned.id);',
  '// The licence comes last: a sign of an earlier effect may come any time.',
  'const opened = await sender.ports.inbox.open(step);',
  'const open = isAnew ? openAttempt(planned, sender.recorder.state) : undefined;',
];
const TAKEN = 'claims.isTaken(kindOf(resource), name, attempt.step)';

/** Every rule that the simulator must miss when it is gone. A mutant that survives is a hole in workload or attacker. */
export const MUTANTS: readonly Mutant[] = [
  ...ANSWER_MUTANTS,
  mutant(
    'journal-after',
    'the intent is durable before the first byte',
    [
      'execute/send.js',
      "await sender.recorder.record({\n        type: 'step-intended',",
      "void sender.recorder.record({\n        type: 'step-intended',",
    ],
    'S1',
  ),
  mutant(
    'no-sync',
    'a record is synced before it counts',
    ['disk/append-file.js', 'await this.#file.datasync();', ''],
    'S1',
  ),
  mutant(
    'told-too-soon',
    'nothing is shown before it is durable',
    ['execute/recorder.js', 'first?.durable;', 'first;'],
    'S10',
  ),
  mutant(
    'lockfile-ahead',
    'after a failed append the lockfile holds what was durable',
    ['disk/run-state.js', 'sound?.lock ?? written', 'written'],
    'S11',
  ),
  mutant(
    'restart-is-unsent',
    'an intent without an answer may have been sent',
    [
      'execute/continued.js',
      "outcome === 'not_sent' ||",
      "outcome === undefined || outcome === 'not_sent' ||",
    ],
    'S2',
  ),
  mutant(
    'absence-without-bound',
    'absence proves nothing where the service bounds nothing',
    ['execute/watch.js', 'if (absent && this.#pace.executionBoundMs !== undefined) {', 'if (absent) {'],
    'S4',
  ),
  mutant(
    'absence-at-one-look',
    'absence is seen twice',
    [
      'execute/watch.js',
      'this.#lookedAtMs - this.#absentAtMs >= graceMs ? undefined : this.#wait(graceMs)',
      'undefined',
    ],
    'S4',
  ),
  mutant(
    'absence-of-candidates',
    'what may be the effect is not absent',
    ['execute/look.js', 'if (heardOf || blind || shown)', 'if (heardOf || blind)'],
    'S4',
  ),
  mutant(
    'blind-write',
    'no write without its pre-image',
    ['execute/send.js', 'if (blind !== undefined)', 'if (false)'],
    'L2, L3',
  ),
  mutant(
    'trust-success',
    'a success callback proves nothing where reads can',
    ['kinds/transaction.js', 'success !== undefined && answers.length === 0', 'success !== undefined'],
    'S5',
  ),
  mutant(
    'trust-failure',
    'a failure callback proves nothing before the horizon and against reads',
    ['kinds/transaction.js', BELIEVED, 'success === undefined && isToldFailed(rules, known)'],
    'S4',
  ),
  mutant(
    'second-refusal-is-proof',
    'a refusal may be that of a second delivery',
    ['execute/send.js', 'await lookBehindRefusal(attempt, sender)', "{ type: 'nothing' }"],
    'S4',
  ),
  mutant(
    'refusal-unread',
    'a refusal counts only when reads show that it hides nothing',
    [
      'execute/behind-refusal.js',
      "return origin === 'platform' && sight?.absent !== true ? UNCLEAR : NOTHING;",
      'return NOTHING;',
    ],
    'S2, S4',
  ),
  mutant(
    'licence-too-soon',
    'what may be sent anew is decided when its intent is kept, not before',
    [
      'execute/send.js',
      LICENCE.join('\n    '),
      [...LICENCE.slice(-1), ...LICENCE.slice(0, -1)].join('\n    '),
    ],
    'S3',
  ),
  mutant(
    'begun-too-soon',
    'nothing begins before all that an earlier run began has its place',
    ['execute/mailbox.js', '\n    #busy = true;', '\n    #busy = false;'],
    'S21',
  ),
  mutant(
    'one-nonce-twice',
    'nothing is signed with a nonce that an open attempt may still use',
    ['kinds/deployment.js', 'bars: sharedNonce,', ''],
    'S5',
  ),
  mutant(
    'signed-elsewhere',
    'what was signed here is only at the address that its nonce gives',
    ['kinds/deployment-reads.js', 'instances: fresh.filter(mayBeOurs)', 'instances: fresh'],
    'S5',
  ),
  mutant(
    'second-effect-in-place',
    'what is confirmed keeps its place in the lock: another effect of it is a second one',
    ['state/project.js', 'if (this.#isReplaced(other))', 'if (false)'],
    'S6',
  ),
  mutant(
    'repeats-unseen',
    'what is settled is looked for once more, for second effects',
    ['execute/repeats.js', 'if (facts === undefined ||', 'if (true ||'],
    'S2',
  ),
  mutant(
    'repeat-of-another',
    'a callback names no second effect of what has marks: another may bear them',
    ['execute/repeats.js', 'isMarked(surplus) ? hint.facts : factsOf(verdict)', 'factsOf(verdict)'],
    'S2',
  ),
  mutant(
    'torn-tail',
    'a torn end is cut before anything is appended',
    ['disk/journal-file.js', 'if (cutBytes > 0)', 'if (false)'],
    'S10',
  ),
  mutant(
    'static-token',
    'every attempt has its own token',
    ['disk/attempt-tokens.js', 'let token = this.#stock.pop();', 'let token = this.#stock[0];'],
    'S5, S7',
  ),
  mutant(
    'evidence-misapplied',
    'a callback belongs to the attempt of its token',
    ['disk/attempt-tokens.js', 'this.#issued.get(token)', '[...this.#issued.values()].at(-1)'],
    'S8',
  ),
  mutant(
    'ack-first',
    'a callback is durable before it is acknowledged',
    ['remote/handover.js', 'await ready(owner, body);', 'void ready(owner, body).catch(() => undefined);'],
    'S8',
  ),
  mutant(
    'lost-lock',
    'a living holder keeps the run lock',
    [
      'disk/run-lock.js',
      "if (lifeOf(found, machine) !== 'dead' || depth >= MAX_TAKEOVERS)",
      'if (depth >= MAX_TAKEOVERS)',
    ],
    'S12',
  ),
  mutant(
    'first-page-only',
    'a list is read to its last page',
    ['remote/reader.js', 'if (isLast(page.pagination, number))', 'if (true)'],
    'S4',
  ),
  mutant(
    'lockfile-as-truth',
    'the journal decides, not the lockfile',
    [
      'disk/run-state.js',
      "if (origin === 'journal')",
      "if (origin === 'journal' && (await readLockfile(paths, disk)) === undefined)",
    ],
    'S10',
  ),
  mutant(
    'lane-ignored',
    'a wallet has only so many writes unsettled',
    ['execute/lane.js', 'unsettled < (exclusive ? 1 : this.#limits.begun)', 'true'],
    'S21',
  ),
  mutant(
    'gate-open',
    'what is made ready ahead waits for a place in flight',
    ['execute/lane.js', 'this.#inFlight.size < this.#limits.inFlight', 'true'],
    'S21',
  ),
  mutant(
    'halted-at-the-gate',
    'what waits when the run is stopped is not sent',
    ['execute/send.js', 'if (sender.isHalted(planned)) {', 'if (false) {'],
    'S21, S22',
  ),
  mutant(
    'stale-pre-image',
    'what was there before is not the effect',
    ['kinds/listing.js', '!before.has(name) && !known.isTaken(name)', '!known.isTaken(name)'],
    'S5',
  ),
  mutant(
    'effect-proves-two',
    'one effect proves one step',
    ['execute/claims.js', 'return owner !== undefined && owner !== step;', 'return false;'],
    'S5',
  ),
  mutant(
    'shifting-look',
    'a look is judged by one standing',
    ['execute/look.js', `remember((name) => ${TAKEN})`, `(name) => ${TAKEN}`],
    'S5',
  ),
  mutant(
    'batch-forgotten',
    'what a failed batch did deploy is kept',
    ['kinds/deployment-failure.js', "grade: 'B', message, outputs }", "grade: 'B', message, outputs: {} }"],
    'S4',
  ),
  mutant(
    'batch-too-soon',
    'a failed batch waits for what lists do not show yet',
    ['kinds/deployment-failure.js', ' && isWhole(known, hint)', ''],
    'S4',
  ),
  mutant(
    'any-target',
    'a lineage belongs to one target',
    [
      'disk/known-state.js',
      'checkTarget: (target, proven) => checkLockTarget(lock, target, proven),',
      'checkTarget: () => undefined,',
    ],
    'S14',
  ),
  mutant(
    'unsynced-folders',
    'names of folders are synced though an earlier run made them',
    [
      'disk/private-file.js',
      'await syncNames(created === undefined ? LEVELS : depthBelow(dirname(created), path), path, disk);',
      '',
    ],
    'S10',
  ),
  mutant(
    'word-over-candidates',
    'no word of a failure counts while a list shows what may be the effect',
    [
      'kinds/transaction.js',
      'return undecidedAmong(candidates, others);\n    const told = judgeCallbacks(rules, known, answers);',
      "{ if (judgeCallbacks(rules, known, answers).type === 'wait') return undecidedAmong(candidates, others); }\n    const told = judgeCallbacks(rules, known, answers);",
    ],
    'S4',
  ),
  mutant(
    'sent-anew-unseen',
    'a step is looked for once more before it is sent anew',
    ['execute/send.js', 'await reopenEffective(planned, sender);', ';'],
    'L4',
  ),
  mutant(
    'failed-delivery-only',
    'what opened an attempt again is looked for without the answer, which is about a delivery that failed',
    ['execute/look.js', 'isFoundAnew(attempt) ? asUnanswered(all) : all', 'all'],
    'L2',
  ),
  mutant(
    'anybodys-deployment',
    'what another wallet deployed is not the effect of ours',
    ['kinds/maker/deployer.js', 'created?.[address.toLowerCase()] === null', 'false'],
    'S5, L3',
  ),
  mutant(
    'late-batch-over-part',
    'what came late of a batch does not take the place of a part that is proven',
    ['execute/send.js', 'if (held === undefined)', 'if (true)'],
    'S6',
  ),
];

/** The text of a compiled file with a rule taken out. @throws when the rule's text is not there exactly once */
export function mutate(text: string, { name, find, replace }: Mutant): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`mutant ${name}: its text stands ${parts.length - 1} times, not once`);
  return parts.join(replace);
}
