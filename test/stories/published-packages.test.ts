import { parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { STORY, tellStory, type Files } from '../support/story.js';

const OFFICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

const FILES: Files = {
  'five/Coin.sol': `pragma solidity ^0.5.0;
    import "@openzeppelin/contracts/token/ERC20/ERC20Detailed.sol";
    import "./lib/Limits.sol";
    contract Coin is ERC20Detailed, Limits { constructor(string memory name, string memory symbol, uint8 decimals, uint256 most)
      public ERC20Detailed(name, symbol, decimals) Limits(most) {} }`,
  'five/lib/Limits.sol': `pragma solidity ^0.5.0;
    import "@openzeppelin/contracts/token/ERC20/ERC20Capped.sol";
    contract Limits is ERC20Capped { constructor(uint256 most) public ERC20Capped(most) {} }`,
  'six/Office.sol': `// SPDX-License-Identifier: MIT
    pragma solidity ^0.6.0;
    import "@openzeppelin/contracts/payment/PaymentSplitter.sol";
    contract Office is PaymentSplitter { address public coin;
      constructor(address coin_, address[] memory payees, uint256[] memory parts) public payable PaymentSplitter(payees, parts) { coin = coin_; } }`,
  'eight/Imports.sol': `// SPDX-License-Identifier: MIT
    pragma solidity ^0.8.20;
    import {VestingWallet} from "@openzeppelin/contracts/finance/VestingWallet.sol";`,
  'windlass.yaml': `windlass: 1
name: packages
wallets: { office: { address: '${OFFICE}' } }
projects:
  five: { versions: { 1.0.0: { compiler: { solidity: v0.5.17 }, sources: [five/**/*.sol], packages: ['@openzeppelin/contracts@2.5.1'] } } }
  six: { versions: { 1.0.0: { compiler: { solidity: v0.6.12 }, sources: [six/*.sol], packages: ['@openzeppelin/contracts@3.4.2'] } } }
  eight: { versions: { 1.0.0: { compiler: { solidity: v0.8.37 }, sources: [eight/*.sol], packages: ['@openzeppelin/contracts@5.0.2'] } } }
deployments:
  coins: { version: five@1.0.0, wallet: { type: organisation, use: office }, contracts: { Coin: { params: { name: Münze, symbol: M, decimals: 6, most: 1000000 } } } }
  offices: { version: six@1.0.0, wallet: { type: organisation, use: office }, contracts: { Office: { params: { coin_: <Coin_ADDRESS>, payees: [<office_ADDRESS>, <Coin_ADDRESS>], parts: [1, 2] } } } }
  vesting: { version: eight@1.0.0, wallet: { type: organisation, use: office }, contracts: { Vesting: { contract: VestingWallet, params: { beneficiary: <Office_ADDRESS>, startTimestamp: 1900000000, durationSeconds: 60 } } } }
`,
};

describe('contracts of published packages', () => {
  it(
    'for solc 0.5, 0.6 and 0.8 are compiled each with its own and deployed with one another',
    async () => {
      await tellStory(FILES, {}, async ({ apply, chain, addresses }) => {
        await apply();
        const at = await addresses();
        const abi = parseAbi([
          'function name() view returns (string)',
          'function cap() view returns (uint256)',
          'function coin() view returns (address)',
          'function payee(uint256) view returns (address)',
          'function owner() view returns (address)',
          'function duration() view returns (uint256)',
        ]);
        const [coin = '0x', office = '0x', vesting = '0x'] = [
          at['contract.coins.Coin'],
          at['contract.offices.Office'],
          at['contract.vesting.Vesting'],
        ];
        expect(await chain.readContract({ address: coin, abi, functionName: 'name' })).toBe('Münze');
        expect(await chain.readContract({ address: coin, abi, functionName: 'cap' })).toBe(1_000_000n);
        expect(await chain.readContract({ address: office, abi, functionName: 'coin' })).toBe(coin);
        const payee = { address: office, abi, functionName: 'payee', args: [1n] } as const;
        expect(await chain.readContract(payee)).toBe(coin);
        expect(await chain.readContract({ address: vesting, abi, functionName: 'owner' })).toBe(office);
        expect(await chain.readContract({ address: vesting, abi, functionName: 'duration' })).toBe(60n);
        expect((await apply()).stderr).toContain('Nothing to do');
      });
    },
    STORY,
  );
});
