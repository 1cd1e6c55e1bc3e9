import { EXIT, user, type CodeRow } from './row.js';

/** Codes of the files beside the plan: lockfile, journal, run lock, saved change sets. */
export const STATE_CODES = {
  LOCK_UNREADABLE: user(
    EXIT.refused,
    'The lockfile is not one that this version reads.',
    'Write it anew from the journal with `windlass lock rebuild`; where there is no journal, restore it from Git.',
    {
      more: 'Cut short, half merged, edited by hand, or with rows that are not those it names: what it says could not be relied on. The journal is the truth, and the lockfile is made of it alone.',
      example: 'windlass lock rebuild --env test\ngit checkout -- windlass.test.lock.json windlass.test.lock',
    },
  ),
  LOCK_OTHER_TARGET: user(
    EXIT.refused,
    'The lockfile belongs to another service or organisation.',
    'Use credentials of the organisation that it belongs to; or move the lockfile and its folder under .windlass/env away to begin anew.',
    {
      more: 'A target is an origin, an organisation and a chain: an address on one means nothing on another. An API key is no organisation: another key of the same one is accepted, and recorded, once the service says so or reads with it show what is locked.',
    },
  ),
  LOCK_KEY_UNPROVEN: user(
    EXIT.refused,
    'Nothing proves that the API key in use belongs to the organisation of the lock.',
    'Use the key of before; or, when you know that this one is of the same organisation, give --accept-key with the fingerprint that is shown.',
    {
      more: 'The service does not say which organisation a key is of, and this environment can read nothing that only that organisation has: deployed contracts, audit and certificate contracts, created wallets, records. Declare its capabilities where it has them. An accepted key is kept in journal and lockfile, so that it is asked for once.',
      example: 'windlass apply --env test --accept-key 3f9a0c51b2de',
    },
  ),
  TARGET_SHARED: user(
    EXIT.refused,
    'The credentials of this environment read what the lock of another environment holds.',
    'Set the credentials that belong to this environment; where two environments share one organisation on purpose, say so with --share-with ENVIRONMENT.',
    {
      more: 'Nothing was released to this environment yet, so that wrong credentials would make everything beside what the other one has. It is asked before the first write only.',
      example: 'windlass apply --env staging --share-with test',
    },
  ),
  LOCK_NO_JOURNAL: user(
    EXIT.refused,
    'There is no journal here to make the lockfile of.',
    'Restore the lockfile from Git: `git checkout -- FILE FOLDER`.',
    {
      more: 'A journal lies in .windlass/env beside the plan, on the machine that applied it, or in Git with `state: git`.',
      example: 'git checkout -- windlass.test.lock.json windlass.test.lock',
    },
  ),
  LOCK_HOLDS_MORE: user(
    EXIT.refused,
    'The lockfile names resources that the journal does not know, and a rebuilt one would lose.',
    'Restore the lockfile from Git, or say that they may go with --forget.',
    {
      more: 'They were made elsewhere, or after this copy of the journal: without them, an apply would look for them and may make them a second time. `windlass adopt` takes them into the lock again.',
      example: 'windlass lock rebuild --env test --forget',
    },
  ),
  JOURNAL_FORKED: user(
    EXIT.refused,
    'Another copy of this journal was applied: steps that it never sent took effect.',
    'Go on where they were applied, or bring its journal and lockfile here; or take each into the lock with `windlass adopt`.',
    {
      more: 'Records and certificates bear a key of their lineage and step. Two folders with one lineage would make everything twice.',
    },
  ),
  JOURNAL_CORRUPT: user(
    EXIT.refused,
    'The journal is damaged other than at its end.',
    'Restore it from a backup; nothing was sent.',
    {
      more: 'Each line names the one before it, so a line that was edited or lost shows. A torn last line, as a crash leaves it, is mended without a word. Without a backup, keep the damaged file and move it away: the next run starts a new journal from the lockfile and looks for what the lockfile lacks before it sends it. What no read shows could then be made twice, so compare `windlass plan` with what is on the platform first.',
    },
  ),
  JOURNAL_NEWER: user(
    EXIT.refused,
    'The journal was written by a newer Windlass.',
    'Use that version or a later one.',
  ),
  JOURNAL_WRITE: user(
    EXIT.unexpected,
    'The journal cannot be written, so nothing more may be sent.',
    'Free disk space or correct the permissions, then run again.',
  ),
  JOURNAL_EPHEMERAL: user(
    EXIT.invalid,
    'In CI a local journal dies with the machine, and the promise with it.',
    'Use `state: git` for the environment, keep .windlass/ between runs, or accept it with --ephemeral-journal.',
    {
      more: 'The journal alone knows what was sent but not yet answered; without it, a lost answer may become a second effect.',
    },
  ),
  STATE_UNSAFE: user(
    EXIT.refused,
    'A file of the state is a link, not a regular file, or open to other users.',
    'Make it a regular file of yours with mode 0600, in a folder with mode 0700.',
    { example: 'chmod 700 .windlass .windlass/env/test && chmod 600 .windlass/env/test/*' },
  ),
  STATE_WRITE: user(
    EXIT.unexpected,
    'A file of the state or the lockfile cannot be read or written.',
    'Free disk space or correct the permissions, then run again.',
  ),
  RUN_LOCKED: user(
    EXIT.refused,
    'Another run holds the lock.',
    'Wait for it, e.g. with --lock-timeout 10m, or free a dead one with `windlass unlock`.',
    {
      more: 'A run that died on this machine is noticed and its lock taken over; of another machine nobody can know.',
    },
  ),
  CHANGESET_STALE: user(
    EXIT.refused,
    'What the saved change set was made from has changed.',
    'Make a new one with `windlass plan --out`, and have it reviewed.',
    {
      more: 'Plan, every file it names, lock, platform and flags are part of it, so that what is applied is what was read.',
      example: 'windlass plan --out release.json && windlass apply release.json',
    },
  ),
  CHANGESET_TAMPERED: user(
    EXIT.refused,
    'The saved change set is not what `windlass plan` wrote.',
    'Make a new one with `windlass plan --out`.',
    { more: 'A single changed byte shows.' },
  ),
  CHANGESET_OTHER_TARGET: user(
    EXIT.refused,
    'The saved change set was made for another platform or environment.',
    'Apply it where it was made for, or make a new one with `windlass plan --out`.',
    { more: 'The same files may be there; what was compared was not.' },
  ),
  TARGET_OTHER_ENVIRONMENT: user(
    EXIT.refused,
    'The credentials for a protected environment are those of another environment.',
    'Set the credentials that belong to this environment.',
    {
      more: 'They are recognised by the lockfile of the other environment, or by its own variables. Environments that are all protected may share a client.',
      example: 'export WINDLASS_VAR_PROD_CLIENT_ID=…    # not the value of WINDLASS_VAR_TEST_CLIENT_ID',
    },
  ),
  CHANGESET_APPLIED: user(
    EXIT.refused,
    'The saved change set was applied already.',
    'Make a new one with `windlass plan --out`; `windlass status` shows the run that applied it.',
  ),
  ATTESTATION_KEY: user(
    EXIT.invalid,
    'The key of an attestation is missing or is none that Windlass signs with.',
    'Give an Ed25519 key as PEM: --key-file FILE, or WINDLASS_ATTEST_KEY in the environment.',
    {
      more: 'The private half signs, the public half verifies. An encrypted key has to be decrypted by whoever keeps it.',
      example:
        'openssl genpkey -algorithm ed25519 -out release.key\nopenssl pkey -in release.key -pubout -out release.pub',
    },
  ),
  ATTESTATION_UNFINISHED: user(
    EXIT.refused,
    'What is locked is not what the plan says, so there is no finished release to attest.',
    'Run `windlass apply` until nothing is left to do, or check out the plan that was applied.',
    { example: 'windlass plan --offline' },
  ),
  ATTESTATION_TAMPERED: user(
    EXIT.refused,
    'The attestation is not what was signed, or not one that Windlass wrote.',
    'Trust nothing in it; get it again from whoever attested, and check that the key is theirs.',
  ),
  ATTESTATION_MISMATCH: user(
    EXIT.drift,
    'Files or bytecode differ from what was attested.',
    'Compare with the commit that was attested; the names that differ are listed.',
    { example: 'windlass verify --attestation release.intoto.json --key-file release.pub' },
  ),
  CHANGE_BLOCKED: user(
    EXIT.invalid,
    'A change cannot be made as the plan wants it.',
    'Follow the fix beside the change.',
    {
      more: 'What is on a chain cannot be edited: a version that was deployed needs a new name, a certificate that was minted stays as it is.',
      example:
        'versions:\n  1.0.0: { sources: [contracts/v1/*.sol] }    # deployed: leave it\n  1.1.0: { sources: [contracts/v2/*.sol] }    # what is new',
    },
  ),
  CHANGE_UNREADY: user(
    EXIT.invalid,
    'Something that a step needs is missing or does not fit, so nothing was sent.',
    'Give what the message names, then apply again.',
    {
      more: 'Secrets, keys, signed transactions and the accounts that sign are looked at before the first write: a step that fails half-way leaves what others made before it.',
      example: 'contract.core.Token: The environment variable WINDLASS_VAR_KEY is not set.',
    },
  ),
  CHANGE_UNKNOWN_ID: user(
    EXIT.invalid,
    'A flag or argument names a resource that neither plan nor lockfile holds.',
    'Use an id as `windlass plan` prints it.',
    { example: 'windlass plan --target contract.core.Token' },
  ),
  FILE_CHANGED: user(
    EXIT.refused,
    'A file changed after it was read for the change set.',
    'Plan again, so that the change set is about the file as it is now.',
    {
      more: 'The bytes that were hashed are the bytes that are sent, or nothing is.',
    },
  ),
} as const satisfies Record<string, CodeRow>;
