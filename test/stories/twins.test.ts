import { expect, it } from 'vitest';
import { parseAbi } from 'viem';
import { STORY, tellStory, type Files } from '../support/story.js';

const twin = (which: number): string => `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Twin { function which() external pure returns (uint256) { return ${String(which)}; } }
`;

const plan = (contracts: string): string => `windlass: 1
name: twins
vars: { token: "{Twin_ADDRESS}" }
wallets: { registrar: { address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" } }
projects:
  twins:
    versions:
      1.0.0:
        compiler: { solidity: v0.8.37, optimizer: { enabled: true, runs: 200 } }
        sources: [src/**/*.sol]
deployments:
  core:
    version: twins@1.0.0
    wallet: { type: organisation, use: registrar }
    contracts:
${contracts}`;

const FILES: Files = {
  'src/a/T.sol': twin(1),
  'src/b/T.sol': twin(2),
  'src/Named.sol': `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Named { string public name; constructor(string memory _name) { name = _name; } }
`,
  'windlass.yaml': plan('      Twin: {}\n'),
};

it(
  'two contracts of one name are told apart by their files, and never by chance',
  async () => {
    await tellStory(FILES, {}, async ({ run, apply, write, addresses, chain }) => {
      const refused = await run('validate', '--format', 'json');
      expect(refused.code).toBe(3);
      const { diagnostics } = JSON.parse(refused.stdout) as {
        diagnostics: { code: string; message: string }[];
      };
      expect(diagnostics.map(({ code }) => code)).toEqual(['PLAN_AMBIGUOUS_REFERENCE']);
      expect(diagnostics[0]?.message).toContain('src/a/T.sol:Twin, src/b/T.sol:Twin');
      await write({
        'windlass.yaml': plan(
          '      First: { contract: "src/a/T.sol:Twin" }\n      Second: { contract: src/b/T.sol:Twin }\n',
        ),
      });
      await apply();
      const made = await addresses();
      const which = async (instance: string) =>
        chain.readContract({
          address: made[`contract.core.${instance}`]!,
          abi: parseAbi(['function which() view returns (uint256)']),
          functionName: 'which',
        });
      expect([await which('First'), await which('Second')]).toEqual([1n, 2n]);
      const again = await run('plan', '--detailed-exitcode');
      expect(again.code).toBe(0);
    });
  },
  STORY,
);

it(
  'a file without the contract, and a variable that the service would take for a token, are mistakes',
  async () => {
    await tellStory(FILES, {}, async ({ run, write }) => {
      const codes = async (contracts: string): Promise<readonly string[]> => {
        await write({ 'windlass.yaml': plan(contracts) });
        const { stdout } = await run('validate', '--format', 'json');
        return (JSON.parse(stdout) as { diagnostics: { code: string }[] }).diagnostics.map(
          ({ code }) => code,
        );
      };
      expect(await codes('      T: { contract: "src/c/T.sol:Twin" }\n')).toEqual(['PLAN_CONTRACT_UNKNOWN']);
      expect(await codes('      T: { contract: "src/Named.sol:Twin" }\n')).toEqual(['PLAN_CONTRACT_UNKNOWN']);
      expect(await codes('      Named: { params: { _name: "{{vars.token}}" } }\n')).toEqual([
        'PLAN_TEMPLATE',
      ]);
    });
  },
  STORY,
);
