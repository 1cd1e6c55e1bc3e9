import { parseAbi, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textAt } from './client.js';
import { openReleases, type Releases, type Submission } from './releases.js';

let releases: Releases;
beforeAll(async () => {
  releases = await openReleases();
});
afterAll(() => releases.close());

/** Compiles, deploys one contract, and gives its address. */
async function deployed(
  submission: Submission,
  contract: string,
  params: Record<string, string>,
): Promise<Hex> {
  const { ids, path } = await releases.compiled(`Old ${contract}`, submission);
  const callback_url = releases.receiver.url();
  const answer = await releases.api.post(`${path}/deploy`, {
    wallet_options: { type: 'organisation', address: releases.platform.wallets[0] ?? '' },
    deployment_params: [{ sc_artifact_id: ids[contract] ?? 0, params, order: 1 }],
    callback_url,
  });
  expect(answer.status).toBe(200);
  const body = await releases.receiver.received(callback_url);
  expect(body).toMatchObject({ status: 'Completed' });
  return textAt(body, 'deployed_contract_addresses.0.contract_address') as Hex;
}

const ABI = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function cap() view returns (uint256)',
  'function value() view returns (uint256)',
]);

describe('contracts for solc 0.4', { timeout: 240_000 }, () => {
  it('from a published package of 2018 are compiled with the compiler of their time, and run', async () => {
    const address = await deployed(
      {
        solc: '0.4.24',
        packages: ['openzeppelin-solidity@1.12.0'],
        sources: {
          'Coin.sol': `pragma solidity ^0.4.24;
import "openzeppelin-solidity/contracts/token/ERC20/CappedToken.sol";
import "openzeppelin-solidity/contracts/token/ERC20/DetailedERC20.sol";
contract Coin is CappedToken, DetailedERC20 {
  constructor(string _name, string _symbol, uint8 _decimals, uint256 _cap) public CappedToken(_cap) DetailedERC20(_name, _symbol, _decimals) { mint(msg.sender, 7); }
}
`,
        },
      },
      'Coin',
      { _name: 'Münze', _symbol: 'M', _decimals: '2', _cap: '1000' },
    );
    const read = (functionName: 'cap' | 'totalSupply') =>
      releases.chain.readContract({ address, abi: ABI, functionName });
    expect([await read('cap'), await read('totalSupply')]).toEqual([1000n, 7n]);
  });

  it.each(['0.4.11', '0.4.26'])('%s is fetched, compiles, and keeps its ABI as it wrote it', async (solc) => {
    const source = `pragma solidity ^0.4.11;
contract Box { uint256 public value; event Put(uint256 value); function Box(uint256 _value) public { value = _value; Put(_value); } }
`;
    const address = await deployed({ solc, sources: { 'Box.sol': source } }, 'Box', { _value: '42' });
    expect(await releases.chain.readContract({ address, abi: ABI, functionName: 'value' })).toBe(42n);
    const call = await releases.api.post(`/api/contract/smart-contracts/${address}/call`, {
      from: address,
      method_name: 'value',
    });
    expect(call.body).toEqual({ message: 'Success', result: { 0: '42' } });
  });
});
