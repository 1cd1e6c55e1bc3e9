import { parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { inFolder, windlass } from '../cli/command.js';
import { comparableLock, STORY, tellStory, writeFiles, type Files } from '../support/story.js';

const HEAD = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n';
const MOST = String(2n ** 256n - 1n);
const LEAST = String(-(2n ** 255n));
const TEXT = 'grüße 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 😀 {curly}';
const TWO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** Folders with files of one name that import one another, one of them by its path from the plan. */
const SOURCES: Files = {
  'src/a/Shapes.sol': `${HEAD}import "../b/Shapes.sol" as B; import {Colour as Tint, Point} from "../c/Colour.sol";
    import "src/b/Peer.sol"; // import "./nowhere.sol";
    contract Scalars {
      int256 public least; uint256 public most; int8 public small; bool public yes; bytes public blob;
      bytes32 public word; string public text;
      constructor(int256 least_, uint256 most_, int8 small_, bool yes_, bytes memory blob_, bytes32 word_, string memory text_) {
        least = least_; most = most_; small = small_; yes = yes_; blob = blob_; word = word_; text = text_;
      }
    }
    contract Nested {
      struct Inner { address who; uint256[] amounts; string label; }
      struct Outer { Inner inner; Point point; Tint tint; bytes32[2] words; B.Kind kind; }
      Outer internal outer_; Inner[] internal inners_; uint256[][] internal matrix_; Peer[] internal peers_;
      constructor(Outer memory outer, Inner[] memory inners, uint256[][] memory matrix, Peer[] memory peers) {
        outer_ = outer; matrix_ = matrix; peers_ = peers;
        for (uint256 i; i < inners.length; i++) inners_.push(inners[i]);
      }
      function all() external view returns (Outer memory, Inner[] memory, uint256[][] memory, Peer[] memory) {
        return (outer_, inners_, matrix_, peers_);
      }
    }`,
  'src/b/Shapes.sol': `${HEAD}enum Kind { None, Some, Many }`,
  'src/b/Peer.sol': `${HEAD}contract Peer { address public next; constructor(address next_) { next = next_; } }`,
  'src/c/Colour.sol': `${HEAD}enum Colour { Red, Green } struct Point { int64 x; int64 y; }`,
};

const PLAN = `windlass: 1
name: constructors
vars: { greeting: grüße }
wallets:
  one: { address: 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 }
  two: { address: '${TWO}' }
projects:
  shapes:
    versions:
      1.0.0: { compiler: { solidity: v0.8.37 }, sources: [src/**/*.sol] }
      1.1.0: { compiler: { solidity: 0.8.37, optimizer: { enabled: true } }, sources: [src/b/Peer.sol] }
      1.2.0: { compiler: { solidity: 0.8.37, optimizer: { enabled: true, runs: 1 } }, sources: [src/b/Peer.sol] }
deployments:
  main:
    version: shapes@1.0.0
    wallet: { type: organisation, use: one }
    contracts:
      Nested:
        params:
          outer:
            inner: { who: <two_ADDRESS>, amounts: [1, ${MOST}], label: κείμενο }
            point: { x: -5, y: 9223372036854775807 }
            tint: 1
            words: [0x${'00'.repeat(31)}01, '0x${'ff'.repeat(32)}']
            kind: 2
          inners: [{ who: "{First_ADDRESS}", amounts: [007], label: 1.10 }, { who: <main.Last_ADDRESS>, amounts: [], label: '' }]
          matrix: [[1, 2], [], [3]]
          peers: [<First_ADDRESS>, <main.Last_ADDRESS>]
      First: { contract: Peer, params: { next_: <main.Last_ADDRESS> } }
      Last: { contract: Peer, params: { next_: <two_ADDRESS> } }
      Scalars:
        params:
          least_: ${LEAST}
          most_: ${MOST}
          small_: -128
          yes_: false
          blob_: 0xdeadbeef
          word_: 0x${'12'.repeat(32)}
          text_: "{{vars.greeting}} <two_ADDRESS> 😀 {curly}"
  late: { version: shapes@1.2.0, wallet: { type: organisation, use: two }, contracts: { Peer: { params: { next_: <Second_ADDRESS> } } } }
  one-by-one:
    version: shapes@1.1.0
    wallet: { type: organisation, use: two }
    deploy: single
    contracts:
      Second: { contract: Peer, order: 2, params: { next_: <First_ADDRESS> } }
      Last: { contract: Peer, order: 1, params: { next_: <one_ADDRESS> } }
`;

describe('constructor parameters of every kind', () => {
  it(
    'are found on the chain as the plan says them, the same from every fresh folder, and no second apply writes',
    async () => {
      await tellStory(
        { ...SOURCES, 'windlass.yaml': PLAN },
        {},
        async ({ apply, run, chain, addresses, folder }) => {
          const planned = await run('plan');
          expect(planned.stdout).toContain('src/b/Shapes.sol as src_b_Shapes.sol');
          await apply();
          const at = await addresses();
          const address = (id: string) => at[`contract.${id}`] ?? '0x';
          const abi = parseAbi([
            'function least() view returns (int256)',
            'function most() view returns (uint256)',
            'function small() view returns (int8)',
            'function yes() view returns (bool)',
            'function blob() view returns (bytes)',
            'function word() view returns (bytes32)',
            'function text() view returns (string)',
            'function next() view returns (address)',
            'struct Inner { address who; uint256[] amounts; string label; }',
            'struct Point { int64 x; int64 y; }',
            'struct Outer { Inner inner; Point point; uint8 tint; bytes32[2] words; uint8 kind; }',
            'function all() view returns (Outer, Inner[], uint256[][], address[])',
          ]);
          const scalar = (functionName: 'least' | 'most' | 'small' | 'yes' | 'blob' | 'word' | 'text') =>
            chain.readContract({ address: address('main.Scalars'), abi, functionName });
          expect(await scalar('least')).toBe(BigInt(LEAST));
          expect(await scalar('most')).toBe(BigInt(MOST));
          expect(await scalar('small')).toBe(-128);
          expect(await scalar('yes')).toBe(false);
          expect(await scalar('blob')).toBe('0xdeadbeef');
          expect(await scalar('word')).toBe(`0x${'12'.repeat(32)}`);
          expect(await scalar('text')).toBe(TEXT);
          const next = (id: string) =>
            chain.readContract({ address: address(id), abi, functionName: 'next' });
          expect(await next('main.First')).toBe(address('main.Last'));
          expect(await next('one-by-one.Second')).toBe(address('main.First'));
          expect(await next('late.Peer')).toBe(address('one-by-one.Second'));
          const nested = { address: address('main.Nested'), abi, functionName: 'all' } as const;
          expect(await chain.readContract(nested)).toEqual([
            {
              inner: { who: TWO, amounts: [1n, BigInt(MOST)], label: 'κείμενο' },
              point: { x: -5n, y: 2n ** 63n - 1n },
              tint: 1,
              words: [`0x${'00'.repeat(31)}01`, `0x${'ff'.repeat(32)}`],
              kind: 2,
            },
            [
              { who: address('main.First'), amounts: [7n], label: '1.10' },
              { who: address('main.Last'), amounts: [], label: '' },
            ],
            [[1n, 2n], [], [3n]],
            [address('main.First'), address('main.Last')],
          ]);

          const block = await chain.getBlockNumber();
          const again = await apply();
          expect(again.stderr).toContain('Nothing to do');
          expect(await chain.getBlockNumber()).toBe(block);
          expect(await run('verify')).toMatchObject({ code: 0 });

          await inFolder(async (cwd) => {
            await writeFiles(cwd, { ...SOURCES, 'windlass.yaml': PLAN });
            expect(await windlass(['apply', '--yes'], { cwd })).toMatchObject({ code: 0 });
            expect(await comparableLock(cwd)).toBe(await comparableLock(folder));
          });
        },
      );
    },
    STORY,
  );
});
