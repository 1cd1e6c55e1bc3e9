import { describe, expect, it } from 'vitest';
import type { ResourceId, StepId } from '../../src/model/id.js';
import { doubtsOf } from '../../src/report/doubt.js';
import { doubtsText } from '../../src/report/doubt-text.js';
import type { JournalEvent, StepIntended, StepSettled } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';

const plain = { colour: false };
const HERE = { environment: 'local' };
const HASH = `0x${'ab'.repeat(32)}`;

function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
}

function intended(
  step: StepId,
  operation: string,
  resources: readonly ResourceId[],
  second = 0,
): StepIntended {
  const inputs = Object.fromEntries(resources.map((id) => [id, {}]));
  return {
    type: 'step-intended',
    at: at(second),
    step,
    resources,
    operation,
    lane: 'x',
    token: `sha256:${step}`,
    request: 'sha256:00',
    before: null,
    inputs,
  };
}

function settled(step: StepId, over: Partial<StepSettled>): StepSettled {
  return { type: 'step-settled', at: at(60), step, state: 'undecided', grade: 'D', outputs: {}, ...over };
}

function lineage(...events: readonly JournalEvent[]): LineageState {
  const target = { origin: 'local', client: 'sha256:00' } as const;
  return new LineageState([
    { type: 'lineage-started', at: at(0), version: 1, lineage: 'l', target },
    ...events,
  ]);
}

describe('a doubt', () => {
  const MINT = 'certificate.class[S-1]#1';
  const lost: readonly JournalEvent[] = [
    intended(MINT, 'certificate.mint', ['certificate.class[S-1]']),
    {
      type: 'step-answered',
      at: at(3),
      step: MINT,
      outcome: 'ambiguous',
      message: 'the connection was reset',
    },
    settled(MINT, { looked: [{ read: 'certificate.list 0xC 0xA success', showed: 'no entry' }] }),
  ];

  it('says of an undecided mint what was sent, what was looked at, and which lines settle it', () => {
    const text = doubtsText(doubtsOf(lineage(...lost), { environment: 'test', plan: 'my plan.yaml' }), plain);
    expect(text).toMatchInlineSnapshot(`
      "undecided certificate.class[S-1]#1
        A request to mint a certificate (POST /api/certificate/mint-certificate) for
        certificate.class[S-1] was sent at 2026-01-01T00:00:00.000Z; its answer leaves the outcome open
        (the connection was reset). No callback was heard. Looked at last: certificate.list 0xC 0xA
        success showed no entry. Undecided since 2026-01-01T00:01:00.000Z. It is not sent again, and what
        depends on it waits; apply looks for proof once more. Where you know the outcome, say it:
          windlass resolve 'certificate.class[S-1]#1' 'my plan.yaml' --env test --adopt token=NUMBER
          windlass resolve 'certificate.class[S-1]#1' 'my plan.yaml' --env test --absent --statement 'WHAT YOU LOOKED AT' --confirm 'certificate.class[S-1]#1' --accept-possible-duplicate"
    `);
  });

  it('names each contract of a batch, and says when a run was cut short', () => {
    const resources = ['contract.core.Registry', 'contract.core.Token'] as const;
    const state = lineage(intended('deployment.core#1', 'contract.deploy', resources));
    expect(doubtsText(doubtsOf(state, HERE), plain)).toMatchInlineSnapshot(`
      "open deployment.core#1
        A request to deploy (POST /api/contract/projects/{projectSlug}/versions/{versionSlug}/deploy) for
        contract.core.Registry, contract.core.Token was sent at 2026-01-01T00:00:00.000Z, or was about to
        be: the run ended before an answer was recorded. No callback was heard. No look has settled it
        yet. The next apply looks for proof before anything is sent. Where you know the outcome, say it:
          windlass resolve 'deployment.core#1' --adopt Registry=0xADDRESS Token=0xADDRESS
          windlass resolve 'deployment.core#1' --absent --statement 'WHAT YOU LOOKED AT' --confirm 'deployment.core#1' --accept-possible-duplicate"
    `);
  });

  it('shouts when an attempt took effect beside another, and names both effects', () => {
    const minted = { 'certificate.class[S-1]': { tokenId: '8', transaction: HASH.replaceAll('ab', 'cd') } };
    const state = lineage(
      ...lost,
      {
        type: 'step-resolved',
        at: at(90),
        step: MINT,
        decision: 'absent',
        statement: 'looked',
        by: 'operator',
      },
      intended('certificate.class[S-1]#2', 'certificate.mint', ['certificate.class[S-1]'], 100),
      settled('certificate.class[S-1]#2', { state: 'confirmed', grade: 'A', outputs: minted }),
      { type: 'step-evidenced', at: at(120), step: MINT, via: 'callback', claim: 'success', facts: {} },
      { type: 'step-duplicated', at: at(120), step: MINT, facts: { transactionHash: HASH } },
    );
    expect(doubtsText(doubtsOf(state, HERE), plain)).toMatchInlineSnapshot(`
      "DUPLICATE certificate.class[S-1]#1
        A request to mint a certificate (POST /api/certificate/mint-certificate) for
        certificate.class[S-1] was sent at 2026-01-01T00:00:00.000Z; its answer leaves the outcome open
        (the connection was reset). 1 callback came: success at 2026-01-01T00:02:00.000Z. It counted as
        without effect, and at 2026-01-01T00:02:00.000Z a sign of one came. Known effects:
        certificate.class[S-1]#1
        {"transactionHash":"0xabababababababababababababababababababababababababababababababab"};
        certificate.class[S-1]#2
        {"tokenId":"8","transaction":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"}.
        Both may exist, and only a person can tell. Where you know the outcome, say it:
          windlass resolve 'certificate.class[S-1]#1' --adopt token=NUMBER
          windlass resolve 'certificate.class[S-1]#1' --keep --statement 'WHAT YOU LOOKED AT'
          windlass resolve 'certificate.class[S-1]#1' --absent --statement 'WHAT YOU LOOKED AT' --confirm 'certificate.class[S-1]#1' --accept-possible-duplicate"
    `);
  });

  it.each([
    ['tag.v1', 'tag.create', { id: 3 }, 'id=3'],
    ['wallet.alice', 'wallet.create', {}, 'address=0xADDRESS'],
    ['version.board@1.0.0', 'version.create', { slug: 'v-1' }, 'slug=v-1'],
    ['audit-record.shipped', 'audit-record.create', { transactionHash: HASH }, `tx=${HASH}`],
    ['transfer.a', 'certificate.transfer', {}, 'tx=0xTX'],
    ['certificate.c[a b]', 'certificate.mint', { tokenId: '17' }, 'token=17'],
  ] as const)('of %s offers the name that its kind has', (id, operation, ids, pair) => {
    const step: StepId = `${id}#1`;
    const answered = { type: 'step-answered', at: at(1), step, outcome: 'accepted', ids } as const;
    const [doubt] = doubtsOf(lineage(intended(step, operation, [id]), answered), HERE);
    expect(doubt?.lines[0]).toContain(` --adopt ${pair}`);
    expect(doubt?.endpoint).toMatch(/^POST \/api\//);
    const isFact = ['audit-record', 'transfer', 'certificate'].some((kind) => id.startsWith(`${kind}.`));
    expect(doubt?.lines.at(-1)?.includes('--accept-possible-duplicate')).toBe(isFact);
  });

  it('prints nothing of the service as it came', () => {
    const state = lineage(intended('tag.a#1', 'tag.create', ['tag.a']), {
      type: 'step-answered',
      at: at(1),
      step: 'tag.a#1',
      outcome: 'ambiguous',
      message: '\u001b[2Jowned',
    });
    expect(doubtsText(doubtsOf(state, HERE), plain)).not.toContain('\u001b');
  });
});
