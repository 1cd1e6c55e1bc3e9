import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { STORY, tellStory, type Files } from '../support/story.js';

const KEY = `0x${'4d'.repeat(32)}` as const;
const SIGNER = privateKeyToAccount(KEY);
const COLD = privateKeyToAccount(`0x${'4e'.repeat(32)}`);

const plan = (capabilities: string): string => `windlass: 1
name: unready
environments:
  test:
    base_url: https://service.example.com
    credentials: { client_id: { env: WINDLASS_VAR_ID }, client_secret: { env: WINDLASS_VAR_SECRET } }
    ${capabilities}
wallets:
  signer: { address: "${SIGNER.address}" }
  cold: { address: "${COLD.address}" }
  alice: { create: { name: Alice, email: { env: WINDLASS_VAR_MAIL }, ic: "000000-00-0001" } }
projects:
  notes: { versions: { 1.0.0: { compiler: { solidity: 0.8.37 }, sources: [Note.sol] } } }
deployments:
  ours:
    version: notes@1.0.0
    wallet: { type: non_custodial, use: signer, signer: { key: { env: WINDLASS_VAR_KEY } } }
    contracts: { Note: {} }
  theirs:
    version: notes@1.0.0
    wallet: { type: non_custodial, use: cold }
    contracts: { Cold: { contract: Note, signed_trx: { file: cold.hex } } }
audit:
  tags: [v1]
`;

const FILES: Files = {
  'Note.sol': '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract Note {}\n',
  'windlass.yaml': plan('callbacks: off'),
  'cold.hex': '00'.repeat(100),
};

interface Shown {
  readonly changes: readonly { readonly id: string; readonly action: string; readonly reason: string }[];
}

it(
  'what is signed here is blocked where nothing tells nonce, chain id and gas price',
  async () => {
    await tellStory(FILES, {}, async ({ run, write }) => {
      const blocked = async (capabilities: string): Promise<readonly string[]> => {
        await write({ 'windlass.yaml': plan(capabilities) });
        const { stdout } = await run('plan', '--env', 'test', '--offline', '--format', 'json');
        const { changes } = JSON.parse(stdout) as Shown;
        return changes.filter(({ action }) => action === 'blocked').map(({ id }) => id);
      };
      expect(await blocked('callbacks: off')).toContain('contract.ours.Note');
      expect(await blocked('capabilities: [lists, projects, instances, receipts]')).toEqual([
        'contract.ours.Note',
      ]);
      expect(await blocked('capabilities: [lists, projects, instances, utils]')).toEqual([
        'contract.ours.Note',
      ]);
      expect(await blocked('capabilities: [lists, projects, instances, receipts, utils]')).toEqual([]);
      const node = 'rpc_url: https://rpc.example.com';
      expect(await blocked(`capabilities: [lists, projects, instances]\n    ${node}`)).toEqual([]);
    });
  },
  STORY,
);

it(
  'a run that lacks something sends nothing, and says all of it at once',
  async () => {
    const sign = (by: typeof COLD, chainId: number) =>
      by.signTransaction({
        type: 'legacy',
        chainId,
        nonce: 0,
        gas: 2_000_000n,
        gasPrice: 0n,
        data: '0x6001',
      });
    await tellStory(FILES, { WINDLASS_VAR_KEY: `0x${'11'.repeat(32)}` }, async ({ run, folder, get }) => {
      const cold = (hex: string): Promise<void> => writeFile(join(folder, 'cold.hex'), hex);
      await cold(await sign(SIGNER, 31_337));
      const refused = await run('apply', '--yes');
      expect(refused.code).toBe(3);
      expect(refused.stderr).toContain('CHANGE_UNREADY');
      expect(refused.stderr).toContain('WINDLASS_VAR_MAIL is not set');
      expect(refused.stderr).toContain(`The signer's key is not that of ${SIGNER.address}`);
      expect(refused.stderr).toContain(`cold.hex is signed by ${SIGNER.address}, not by ${COLD.address}`);
      await cold(await sign(COLD, 5));
      expect((await run('apply', '--yes')).stderr).toContain(
        'cold.hex is signed for chain 5, and this one is 31337',
      );
      expect(await get('/api/contract/projects')).toEqual([]);
      expect(await get('/api/audit/tag')).toEqual([]);
    });
  },
  STORY,
);
