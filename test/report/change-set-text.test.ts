import { describe, expect, it } from 'vitest';
import { changeSetJson } from '../../src/report/change-set-json.js';
import { changeSetText } from '../../src/report/change-set-text.js';
import type { Density } from '../../src/report/change-text.js';
import type { Change, ChangeSet } from '../../src/model/change.js';
import { certificates, change, changeSet, HOSTILE } from './samples.js';

function text(set: ChangeSet, density: Density = 'default', next?: string): string {
  return changeSetText(set, { colour: false, density, ...(next !== undefined && { next }) });
}

const release = changeSet(
  [
    change('wallet.alice', {
      inputs: { name: 'Alice', email: { $secret: { env: 'WINDLASS_VAR_ALICE_EMAIL' } } },
    }),
    change('version.registry@1.0.1', {
      action: 'replace',
      reason: 'version 1.0.0 is deployed, and deployed versions are never updated',
      fields: [{ path: 'compiler.optimizer.runs', before: 200, after: 1000 }],
    }),
    change('contract.core.Token', {
      action: 'deploy',
      irreversible: true,
      inputs: {
        contract: 'Token',
        params: { registry: { $placeholder: [{ ref: 'contract.core.Registry' }] }, cap: '1000000' },
      },
    }),
    change('audit-record.shipped', {
      action: 'blocked',
      reason: 'only a callback can prove this write, and callbacks are off',
      fix: 'Set callbacks.url.',
      remote: 'unreadable',
      unreadable: 'capability lists',
    }),
    ...certificates(25),
    ...certificates(30, { action: 'none', reason: 'as locked' }).slice(25),
    change('tag.v1', {
      action: 'none',
      reason: 'as locked',
      drift: [{ path: 'name', before: 'v1', after: 'v2' }],
    }),
  ],
  { notices: ['contracts/a/Token.sol is sent as a_Token.sol'] },
);

describe('a change set as text', () => {
  it('names the personal data of a wallet that is made, and shows none of it', () => {
    const made = changeSet([change('wallet.alice', { inputs: { name: 'Alice' } })]);
    expect(text(made, 'full')).toMatch(/email: \(personal data\)\n +ic: \(personal data\)/);
    const there = changeSet([change('wallet.alice', { inputs: { address: '0x00' } })]);
    expect(text(there, 'full')).not.toContain('personal');
  });

  it('says of a version that was not compiled that it will be', () => {
    const failed = change('version.registry@1.0.0', {
      action: 'update',
      remote: 'present',
      fields: [{ path: 'compiled', before: false }],
    });
    expect(text(changeSet([failed]))).toContain('compiled: false → true');
    expect(text(changeSet([failed]), 'full')).toMatch(/platform: false\n +plan: +true/);
  });

  it('counts what the plan no longer has apart from what is unchanged', () => {
    const kept = { action: 'none', undeclared: true } as const;
    const set = changeSet([...certificates(2, { action: 'none' }), change('tag.gone', kept)]);
    expect(text(set)).toContain('Nothing to do: 2 resources unchanged; 1 no longer in the plan.');
    const forgotten = changeSet([change('tag.gone', { action: 'forget', undeclared: true })]);
    expect(text(forgotten)).toContain('1 to forget; 1 change in 1 step.');
  });

  it('shows every change with its reason, batches in one line, drift and doubts apart', () => {
    expect(text(release, 'default', 'windlass apply out.windlass')).toMatchInlineSnapshot(`
      "campus-release on test · windlass.yaml

        + create
        ^ deploy
        ± make a new one; the old one stays where it is
        ! blocked

        + wallet.alice               not on the platform yet
        ± version.registry@1.0.1     version 1.0.0 is deployed, and deployed versions are never updated
            compiler.optimizer.runs: 200 → 1000
        ^ contract.core.Token        not on the platform yet (irreversible)
            params.registry: (known after Registry deploys)
            params.cap: "1000000"
        ! audit-record.shipped       only a callback can prove this write, and callbacks are off
            fix: Set callbacks.url.
        + certificate.class-of-2026  25 certificates (S-1001, S-1002, S-1003, …, S-1025); not on the platform yet (irreversible)

      Drift: changed on the platform since it was locked, not by this plan
        tag.v1  name: "v1" → "v2"

      Cannot be read here, so their state is not known
        audit-record.shipped: needs capability lists

      Note
        contracts/a/Token.sol is sent as a_Token.sol

      35 resources: 26 to create, 1 to deploy, 1 to replace, 1 blocked, 6 unchanged; 28 changes in 28 steps; 26 changes cannot be undone. Nothing is applied while a change is blocked; --exclude ID leaves one out, with what needs it.
      Next: windlass apply out.windlass"
    `);
  });

  it('has one line per change in the summary', () => {
    expect(text(release, 'summary')).not.toContain('params.cap');
    expect(text(release, 'summary')).toContain('contract.core.Token');
  });

  it('shows every input and every row when asked for everything', () => {
    const full = text(release, 'full');
    expect(full).toContain('certificate.class-of-2026[S-1025]');
    expect(full).toContain('email: (secret from WINDLASS_VAR_ALICE_EMAIL)');
  });

  it('keeps ten thousand rows short', () => {
    expect(text(changeSet(certificates(10_000))).split('\n').length).toBeLessThan(40);
  });

  it('explains only the signs in use', () => {
    expect(text(changeSet([change('tag.v1')]))).toContain('  + create');
    expect(text(changeSet([change('tag.v1')]))).not.toMatch(/[~^±!=] /);
  });

  it('says that there is nothing to do, and still names what cannot be read', () => {
    const set = changeSet([
      change('tag.v1', {
        action: 'none',
        reason: 'as locked',
        remote: 'unreadable',
        unreadable: 'capability lists',
      }),
    ]);
    expect(text(set)).toMatchInlineSnapshot(`
      "campus-release on test · windlass.yaml

      Cannot be read here, so their state is not known
        tag.v1: needs capability lists

      Nothing to do: 1 resource unchanged."
    `);
  });

  it('names a placeholder inside longer text and what makes it known', () => {
    const inputs = {
      metadata: { note: { $placeholder: ['registry at ', { ref: 'contract.core.Registry' as const }] } },
    };
    expect(text(changeSet([change('audit-record.shipped', { inputs })]))).toContain(
      'metadata.note: "registry at <core.Registry>" (known after Registry deploys)',
    );
  });

  it('counts fields that it leaves out', () => {
    const params = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index}`, index]));
    const set = changeSet([change('contract.core.Big', { action: 'deploy', inputs: { params } })]);
    expect(text(set)).toContain('… and 4 more fields; see --full');
    expect(text(set, 'full')).toContain('params.p11: 11');
  });

  it('lets no hostile name reach the terminal', () => {
    for (const name of HOSTILE) {
      const set = changeSet(
        [
          change(`tag.${name}`, {
            reason: name,
            fix: name,
            inputs: { [name]: name },
            fields: [{ path: name, before: name, after: name }],
            drift: [{ path: name, before: name }],
            remote: 'unreadable',
            unreadable: name,
          }),
        ],
        { environment: name, notices: [name], plan: { name, file: name, digest: 'sha256:00' } },
      );
      for (const density of ['summary', 'default', 'full'] as const) {
        expect(text(set, density, name)).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Cs}]/u);
      }
    }
  });
});

describe('a change set as JSON', () => {
  it('is the change set with its counts', () => {
    expect(changeSetJson(release)).toMatchObject({
      format: 1,
      environment: 'test',
      empty: false,
      irreversible: 26,
      counts: { create: 26, replace: 1, deploy: 1, blocked: 1, unchanged: 6 },
      changes: expect.arrayContaining([expect.objectContaining({ id: 'contract.core.Token' })]) as unknown,
    });
  });

  it('names an item of a list of constructor values by the type of the item', () => {
    const at = '0x5FC8d32690cc91D4c39d9d3abcBD16989F875707';
    const routed = change('contract.core.Router', {
      action: 'replace',
      types: { vaults: 'address[]', grid: 'uint256[2][]' },
      fields: [
        { path: 'params.vaults[1]', before: at, after: { $placeholder: [{ ref: 'contract.core.Vault' }] } },
        { path: 'params.grid[0]', before: ['1', '2'], after: ['1', '3'] },
        { path: 'params.grid[0][1]', before: '2', after: '3' },
      ],
    });
    const shown = text(changeSet([routed]));
    expect(shown).toContain(`vaults[1] (address): ${at} → (known after Vault deploys)`);
    expect(shown).toContain('grid[0] (uint256[2]): ["1","2"] → ["1","3"]');
    expect(shown).toContain('grid[0][1] (uint256): 2 → 3');
  });

  it('shows what differs in the sources when everything is asked for, and nothing of it otherwise', () => {
    const version = change('version.core@2.0.0');
    const files = [{ filename: 'A.sol', before: 'a\n', after: 'b\u001b[2J\n' }];
    const sources = new Map([[version.id, { base: 'version.core@1.0.0' as const, files }]]);
    const shown = (density: 'default' | 'full'): string =>
      changeSetText(changeSet([version]), { colour: false, density, sources });
    expect(shown('full')).toContain(
      '      --- A.sol\n      +++ A.sol\n      @@ -1,1 +1,1 @@\n      -a\n      +b\\u{1B}[2J',
    );
    expect(shown('default')).not.toContain('A.sol');
  });

  it('says once more at the end of a long list what is blocked', () => {
    const blocked = change('tag.z', { action: 'blocked', reason: 'taken', fix: 'wait' });
    const others = Array.from({ length: 6 }, (_, index) => change(`tag.t${index}`));
    const shown = (changes: readonly Change[]): string =>
      changeSetText(changeSet(changes), { colour: false, density: 'default' });
    expect(shown([blocked, ...others])).toContain('Blocked\n  tag.z: taken · fix: wait');
    expect(shown([blocked, ...others.slice(1)])).not.toContain('Blocked\n');
  });

  it('names no inputs where there are none', () => {
    const contract = change('contract.core.A', { action: 'deploy', inputs: { params: {} } });
    expect(changeSetText(changeSet([contract]), { colour: false, density: 'default' })).not.toContain(
      'params',
    );
  });
});
