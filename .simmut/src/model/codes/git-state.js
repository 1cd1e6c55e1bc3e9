import { EXIT, service, user } from './row.js';
/** Codes of a journal and run lock that live in Git. */
export const GIT_STATE_CODES = {
    JOURNAL_REWRITTEN: user(EXIT.refused, 'The journal in Git no longer holds what it held: its ref was rewritten, cut or deleted.', 'Push its last state back to the ref; nothing was sent.', {
        more: 'What was cut off may have been sent, so going on without it could send it twice. Each clone keeps the commits that it saw.',
        example: 'git -C .windlass/env/test/git push -f URL $(cat .windlass/env/test/git-seen):refs/windlass/test/journal',
    }),
    JOURNAL_DIVERGED: user(EXIT.refused, 'The journal in the plan folder and the one in Git tell different histories.', 'Find out which one was applied, and move the other away; nothing was sent.', {
        more: 'A journal beside the plan is from before `state: git`. It is taken into Git when it begins like the journal there.',
    }),
    STATE_GIT: user(EXIT.invalid, '`state: git` needs Git, a repository around the plan, and one remote to push to.', 'Correct the remote of the repository, or `state` of the environment.', { example: 'git remote add origin https://git.example.com/campus.git' }),
    STATE_REMOTE: service(EXIT.incomplete, 'The Git remote that holds the journal cannot be reached or refuses what is pushed.', 'Check the network and the right to push to refs/windlass/, then run again.', { more: 'Nothing is sent whose intent the remote does not hold.' }),
    RUN_FENCED: user(EXIT.refused, 'Another run took this lineage over, so this one may send nothing more.', 'See `windlass status`; the other run settles what this one left open.', { more: 'With `state: git`, `windlass unlock` ends a run that lives after all, at its next record.' }),
};
