import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { verify } from '@node-rs/bcrypt';
import { encodeDeployData, parseAbi, type Abi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { png, STORY, tellStory, type Files, type Story } from '../support/story.js';

const SOLIDITY = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Note { address public author; string public text; constructor(string memory text_) { author = msg.sender; text = text_; } }`;

const SIGNER = privateKeyToAccount(`0x${'21'.repeat(32)}`);
const COLD = privateKeyToAccount(`0x${'22'.repeat(32)}`);
const STRANGER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const ENV = {
  WINDLASS_VAR_ALICE_EMAIL: 'alice@secret.example',
  WINDLASS_VAR_ALICE_IC: '991231-14-5555',
  WINDLASS_VAR_KEY: `0x${'21'.repeat(32)}`,
};

const PLAN = `windlass: 1
name: people
vars: { year: 2026 }
wallets:
  office: { address: 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 }
  alice: { create: { name: Alice, email: { env: WINDLASS_VAR_ALICE_EMAIL }, ic: { env: WINDLASS_VAR_ALICE_IC } } }
  bob: { create: { name: Bób 日本, email: bob@example.com, ic: 000000-00-0001 } }
  signer: { address: '${SIGNER.address}' }
  cold: { address: '${COLD.address}' }
projects:
  notes: { versions: { 1.0.0: { compiler: { solidity: 0.8.37 }, sources: [Note.sol] } } }
deployments:
  hers: { version: notes@1.0.0, wallet: { type: end_user, use: alice }, contracts: { Hers: { contract: Note, params: { text_: "for <bob_ADDRESS>" } } } }
  signed: { version: notes@1.0.0, wallet: { type: non_custodial, use: signer, signer: { key: { env: WINDLASS_VAR_KEY } } }, contracts: { Ours: { contract: Note, params: { text_: "after <Hers_ADDRESS>" } } } }
  elsewhere: { version: notes@1.0.0, wallet: { type: non_custodial, use: cold }, contracts: { Cold: { contract: Note, signed_trx: { file: cold.hex } } } }
audit:
  contracts: { log: {} }
  categories: [release, zwölf]
  tags: [v1]
  records:
    all: { contract: log, signer: alice, categories: [release, zwölf], tags: [v1], metadata: { big: 123456789012345678901234567890, year: "{{vars.year}}", at: [<Ours_ADDRESS>, null, true] } }
    plain: { contract: log, signer: office, envelope: none, metadata: "plain {{vars.year}} <log_ADDRESS>" }
certificates:
  contracts:
    diplomas: { deployer: office, owner: alice, name: "Diplomas {{vars.year}}", symbol: DIP, max_supply: 3 }
  batches:
    lines: { contract: diplomas, rows: lines.ndjson, key: id, to: "{{who}}", name: "No {{id}}", description: "{{note}}", attributes: { Points: "{{points}}", Empty: "" }, image: "{{image}}.png" }
    cells: { contract: diplomas, rows: cells.csv, key: id, to: "{{who}}", name: "No {{id}}", description: "-", image: large.png, marker: none }
  transfers:
    onwards: { contract: diplomas, token: "lines[A-1]", from: alice, to: bob }
    back: { contract: diplomas, token: "lines[A-1]", from: bob, to: office }
`;

const FILES: Files = {
  'Note.sol': SOLIDITY,
  'windlass.yaml': PLAN,
  'lines.ndjson': `{"id":"A-1","who":"alice","note":"\\"q\\", <bob_ADDRESS> {{id}}","points":7,"image":"small"}
{"id":"B 2/ü","who":"${STRANGER}","note":"😀","points":"0012","image":"medium"}
`,
  'cells.csv': '\uFEFFid;who\r\n3;bob\r\n',
  'small.png': png(1),
  'medium.png': png(2, 2_000_000),
  'large.png': png(3, 11_000_000),
};

/** Signs the cold deployment as its owner would: elsewhere, with an independent compiler run and client. */
async function signElsewhere({ chain, write }: Story): Promise<void> {
  const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string };
  const settings = { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } };
  const input = { language: 'Solidity', sources: { 'Note.sol': { content: SOLIDITY } }, settings };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    contracts: { 'Note.sol': { Note: { abi: Abi; evm: { bytecode: { object: string } } } } };
  };
  const { abi, evm } = output.contracts['Note.sol'].Note;
  const bytecode: Hex = `0x${evm.bytecode.object}`;
  const data = encodeDeployData({ abi, bytecode, args: ['signed elsewhere'] });
  const [chainId, nonce, gas, gasPrice] = await Promise.all([
    chain.getChainId(),
    chain.getTransactionCount(COLD),
    chain.estimateGas({ account: COLD, data }),
    chain.getGasPrice(),
  ]);
  const raw = await COLD.signTransaction({ type: 'legacy', chainId, nonce, gas, gasPrice, data });
  await write({ 'cold.hex': `${raw}\n` });
}

describe('people', () => {
  it(
    'deploy, sign, record, receive and pass on what the plan gives them',
    async () => {
      await tellStory(FILES, ENV, async (story) => {
        const { chain, run, apply, addresses } = story;
        await signElsewhere(story);
        const { stdout, stderr } = await apply();
        for (const secret of Object.values(ENV)) expect(stdout + stderr).not.toContain(secret);
        await expectNotes(story);
        await expectRecords(story);
        await expectCertificates(story);
        const block = await chain.getBlockNumber();
        expect((await apply()).stderr).toContain('Nothing to do');
        expect(await chain.getBlockNumber()).toBe(block);
        expect(await run('verify')).toMatchObject({ code: 0 });

        await story.write({ 'cells.csv': 'id;who\r\n3;alice\r\n' });
        expect((await run('apply', '--yes')).code).toBe(3);
        await story.write({
          'cells.csv': 'id;who\r\n3;bob\r\n',
          'windlass.yaml': PLAN.replace(/^ {4}back:.*$/m, ''),
        });
        expect((await run('plan')).stdout).toContain('transfer.back');
        await apply('--forget');
        expect((await run('plan')).stdout).not.toContain('transfer.back');
        expect(await chain.getBlockNumber()).toBe(block);
        expect(await addresses()).toHaveProperty(['wallet.alice']);
      });
    },
    STORY,
  );
});

async function expectNotes({ chain, addresses }: Story): Promise<void> {
  const at = await addresses();
  const abi = parseAbi(['function author() view returns (address)', 'function text() view returns (string)']);
  const read = async (id: string) => {
    const note = { address: at[id] ?? '0x', abi } as const;
    return [
      await chain.readContract({ ...note, functionName: 'author' }),
      await chain.readContract({ ...note, functionName: 'text' }),
    ];
  };
  expect(await read('contract.hers.Hers')).toEqual([at['wallet.alice'], `for ${at['wallet.bob']}`]);
  expect(await read('contract.signed.Ours')).toEqual([SIGNER.address, `after ${at['contract.hers.Hers']}`]);
  expect(await read('contract.elsewhere.Cold')).toEqual([COLD.address, 'signed elsewhere']);
}

async function expectRecords({ get, addresses }: Story): Promise<void> {
  const at = await addresses();
  const log = at['audit-contract.log'];
  const listed = (await get(`/api/audit/get-audit-transaction?contract_address=${log}&status=success`)) as {
    id: number;
  }[];
  const records = await Promise.all(
    listed.map(async ({ id }) => (await get(`/api/audit/audit/${id}`)) as Record<string, string>),
  );
  for (const { metadata = '', metadatahash = '' } of records) {
    expect(await verify(metadata, metadatahash.replace('$2y$', '$2b$'))).toBe(true);
  }
  const byAlice = records.find(({ from }) => from === at['wallet.alice']);
  expect((JSON.parse(byAlice?.['metadata'] ?? '') as { v: unknown }).v).toEqual({
    big: '123456789012345678901234567890',
    year: '2026',
    at: [at['contract.signed.Ours'], null, true],
  });
  expect(records.map(({ metadata }) => metadata)).toContain(`plain 2026 ${log}`);
}

async function expectCertificates({ chain, addresses, rows }: Story): Promise<void> {
  const at = await addresses();
  const address = at['certificate-contract.diplomas'] ?? '0x';
  const abi = parseAbi([
    'function ownerOf(uint256) view returns (address)',
    'function tokenURI(uint256) view returns (string)',
    'function name() view returns (string)',
  ]);
  expect(await chain.readContract({ address, abi, functionName: 'name' })).toBe('Diplomas 2026');
  const certificate = async (batch: string, key: string) => {
    const row = (await rows(batch)).find((one) => one.key === key);
    const args = [BigInt(row?.outputs['tokenId'] ?? -1)] as const;
    const owner = await chain.readContract({ address, abi, functionName: 'ownerOf', args });
    const uri = await chain.readContract({ address, abi, functionName: 'tokenURI', args });
    const document = (await (await fetch(uri)).json()) as Record<string, unknown>;
    const image = Buffer.from(await (await fetch(String(document['image']))).arrayBuffer());
    return { ...document, owner, image: digest(image) };
  };
  expect(await certificate('lines', 'A-1')).toMatchObject({
    owner: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    image: digest(png(1)),
    name: 'No A-1',
    description: '"q", <bob_ADDRESS> {{id}}',
    attributes: [{ trait: 'Points', value: '7' }, { trait: 'Empty', value: '' }, { trait: 'ref' }],
  });
  expect(await certificate('lines', 'B 2/ü')).toMatchObject({
    owner: STRANGER,
    image: digest(png(2, 2_000_000)),
    description: '😀',
    attributes: [{ value: '0012' }, { value: '' }, { trait: 'ref' }],
  });
  expect(await certificate('cells', '3')).toMatchObject({
    owner: at['wallet.bob'],
    image: digest(png(3, 11_000_000)),
    attributes: [],
  });
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
