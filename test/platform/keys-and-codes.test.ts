import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeAbiParameters,
  getContractAddress,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type Hex,
  type TransactionSerializedLegacy,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { addr } from 'micro-eth-signer';
import type { Json } from '../../src/model/json.js';
import { nextBatch } from '../../src/platform/chain/batch.js';
import { DEVELOPMENT_MNEMONIC, keyAt, seedOfMnemonic } from '../../src/platform/chain/key-tree.js';
import type { TransactionRow } from '../../src/platform/chain/ledger-tables.js';
import { checksummed, createAddress, readSigned, signTransaction } from '../../src/platform/chain/signing.js';
import {
  AbiFault,
  constructorInputs,
  encodeArguments,
} from '../../src/platform/handlers/contracts/encode.js';
import {
  bindingFault,
  fillPlaceholders,
  placeholdersIn,
} from '../../src/platform/handlers/contracts/binding/placeholders.js';
import { slugOf } from '../../src/platform/handlers/contracts/slug.js';
import { nestFields } from '../../src/platform/bodies/form.js';

const SEED = seedOfMnemonic(DEVELOPMENT_MNEMONIC);

describe('the key tree', () => {
  it.each([0, 1, 7, 1000])('has at every place the key that other wallets find there (%i)', (index) => {
    const key = keyAt(SEED, `m/44'/60'/1'/0/${String(index)}`);
    const account = mnemonicToAccount(DEVELOPMENT_MNEMONIC, { accountIndex: 1, addressIndex: index });
    expect(addr.fromPrivateKey(key)).toBe(account.address);
  });
});

describe('a signed transaction', () => {
  it('reads back as what was signed, with its sender and the address it creates', async () => {
    const key = keyAt(SEED, "m/44'/60'/0'/0/0");
    const plain = {
      chainId: 31_337,
      nonce: 3,
      to: null,
      data: '0x6001',
      value: 0n,
      gasPrice: 0n,
      gasLimit: 90_000n,
    };
    const signed = signTransaction(plain, key);
    const account = mnemonicToAccount(DEVELOPMENT_MNEMONIC);
    const read = readSigned(signed.raw);
    expect(read).toMatchObject({
      ...signed,
      chainId: 31_337n,
      nonce: 3,
      to: null,
      data: '0x6001',
      sender: account.address,
    });
    expect(read.contractAddress).toBe(getContractAddress({ from: account.address, nonce: 3n }));
    const foreign = await account.signTransaction({
      chainId: 1,
      nonce: 0,
      gas: 21_000n,
      to: account.address,
      type: 'eip1559',
    });
    expect(readSigned(foreign)).toMatchObject({ chainId: 1n, to: account.address, contractAddress: null });
    expect(() => readSigned('0x1234')).toThrow();
  });

  it('is to another library what was signed, whatever its values', async () => {
    const key = keyAt(SEED, "m/44'/60'/0'/0/0");
    const { address } = mnemonicToAccount(DEVELOPMENT_MNEMONIC);
    const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
    const unsigned = fc.record({
      chainId: fc.integer({ min: 1, max: 2 ** 40 }),
      nonce: fc.integer({ min: 0, max: 2 ** 48 }),
      to: fc.option(fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hex)),
      data: fc.uint8Array({ maxLength: 600 }).map(hex),
      value: fc.bigInt(0n, 2n ** 256n - 1n),
      gasPrice: fc.bigInt(0n, 2n ** 128n),
      gasLimit: fc.bigInt(21_000n, 2n ** 64n - 1n),
    });
    await fc.assert(
      fc.asyncProperty(unsigned, async (given) => {
        const { raw, hash } = signTransaction(given, key) as { raw: Hex; hash: Hex };
        const read = parseTransaction(raw);
        expect({ chainId: read.chainId, nonce: read.nonce ?? 0, to: read.to ?? null }).toEqual({
          chainId: given.chainId,
          nonce: given.nonce,
          to: given.to,
        });
        expect([read.data ?? '0x', read.value ?? 0n, read.gasPrice ?? 0n, read.gas]).toEqual([
          given.data,
          given.value,
          given.gasPrice,
          given.gasLimit,
        ]);
        expect(keccak256(raw)).toBe(hash);
        const serializedTransaction = raw as TransactionSerializedLegacy;
        expect(await recoverTransactionAddress({ serializedTransaction })).toBe(address);
        expect(readSigned(raw)).toMatchObject({ raw, hash, sender: address });
      }),
      { numRuns: 40 },
    );
  });

  it('is not made to what is no address, nor with data that is no hex', () => {
    const key = keyAt(SEED, "m/44'/60'/0'/0/0");
    const plain = { chainId: 1, nonce: 0, to: null, data: '0x', value: 0n, gasPrice: 0n, gasLimit: 21_000n };
    for (const to of ['', '0x', '0x12', `0x${'g'.repeat(40)}`])
      expect(() => signTransaction({ ...plain, to }, key)).toThrow();
    for (const data of ['', '60', '0x6', '0x6g', '0x600160zz'])
      expect(() => signTransaction({ ...plain, data }, key)).toThrow();
  });

  it('names an address only with a fitting checksum', () => {
    const { address } = mnemonicToAccount(DEVELOPMENT_MNEMONIC);
    expect(checksummed(address.toLowerCase())).toBe(address);
    expect(checksummed(address.replace('f39F', 'F39f'))).toBeUndefined();
    expect(createAddress(address.toLowerCase(), 0)).toBe(getContractAddress({ from: address, nonce: 0n }));
  });
});

describe('constructor arguments', () => {
  const abi = [
    {
      type: 'constructor',
      inputs: [
        { name: '_owner', type: 'address' },
        { name: '', type: 'uint256' },
        {
          name: 'parts',
          type: 'tuple[]',
          components: [
            { name: 'id', type: 'int64' },
            { name: 'tag', type: 'bytes4' },
          ],
        },
        { name: 'grid', type: 'uint8[2][]' },
        { name: 'note', type: 'string' },
        { name: 'raw', type: 'bytes' },
        { name: 'on', type: 'bool' },
      ],
    },
  ];
  const inputs = constructorInputs(abi);
  const hex = (bytes: number) =>
    fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((b) => `0x${Buffer.from(b).toString('hex')}`);

  it('are encoded as an independent library encodes them', () => {
    const part = fc.record({ id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), tag: hex(4) });
    const values = fc.record({
      owner: hex(20),
      amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      parts: fc.array(part, { maxLength: 3 }),
      grid: fc.array(fc.tuple(fc.nat(255), fc.nat(255)), { maxLength: 3 }),
      note: fc.string({ unit: 'grapheme' }),
      raw: hex(5),
      on: fc.boolean(),
    });
    fc.assert(
      fc.property(values, ({ owner, amount, parts, grid, note, raw, on }) => {
        const sent = parts.map(({ id, tag }) => ({ id: id.toString(), tag }));
        const json = { _owner: owner, '1': amount.toString(), parts: sent, grid, note, raw, on };
        const expected = encodeAbiParameters(abi[0]!.inputs, [
          owner as Hex,
          amount,
          parts,
          grid,
          note,
          raw as Hex,
          on,
        ]);
        expect(encodeArguments(inputs, json)).toBe(expected);
      }),
    );
  });

  it.each<[string, Json, string]>([
    ['uint8', '256', 'p'],
    ['uint8', 1e21, 'p'],
    ['int8', '-129', 'p'],
    ['uint256', '1.0', 'p'],
    ['bool', 'yes', 'p'],
    ['bytes4', '0x01', 'p'],
    ['address', '0x00', 'p'],
    ['uint8[2]', ['1'], 'p'],
    ['uint8[]', ['1', '-1'], 'p.1'],
    ['string', 5, 'p'],
    ['uint256', null, 'p'],
  ])('that do not fit %s are refused where they stand: %j', (type, value, path) => {
    const attempt = () => encodeArguments([{ name: 'p', type, components: [] }], { p: value });
    expect(attempt).toThrow(AbiFault);
    expect(attempt).toThrow(expect.objectContaining({ path }));
  });
});

describe('placeholders', () => {
  it('are whole texts, wherever they stand, and unknown ones stay', () => {
    const value = {
      a: '{Token_ADDRESS}',
      b: ['{Shop_ADDRESS}', 'x{Token_ADDRESS}'],
      c: { d: '{Other_ADDRESS}' },
    };
    expect(placeholdersIn(value)).toEqual(['Token', 'Shop', 'Other']);
    const known = new Map([
      ['Token', '0x1'],
      ['Shop', '0x2'],
    ]);
    expect(fillPlaceholders(value, known)).toEqual({
      a: '0x1',
      b: ['0x2', 'x{Token_ADDRESS}'],
      c: { d: '{Other_ADDRESS}' },
    });
  });

  it('lead to what is deployed before them, or to the one that stands, and to nothing else', () => {
    const standing = (...pending: readonly boolean[]) =>
      pending.map((isPending) => ({ address: '0x1', isPending }));
    const leads = (
      orders: readonly number[],
      stands: ReturnType<typeof standing>,
      itself?: number,
    ): boolean => {
      const places = orders.map((order, index) => ({ name: 'Token', order, isItself: index === itself }));
      return bindingFault({ name: 'Token', order: 5 }, { places, standing: stands }) === undefined;
    };
    expect(leads([4], standing(false))).toBe(true);
    expect(leads([], standing(false))).toBe(true);
    for (const orders of [[6], [5], [4, 6], [3, 4]]) expect(leads(orders, standing(false))).toBe(false);
    expect(leads([5], standing(false), 0)).toBe(false);
    for (const stands of [standing(), standing(true), standing(false, false), standing(false, true)])
      expect(leads([], stands)).toBe(false);
  });
});

describe('form fields', () => {
  it('nest by their brackets and repeat by empty ones', () => {
    const fields: [string, string][] = [
      ['a[b][c]', '1'],
      ['a[b][d]', '2'],
      ['packages[]', 'x'],
      ['packages[]', 'y'],
      ['rows[0][k]', 'v'],
      ['plain', 'p'],
      ['__proto__[x]', 'y'],
    ];
    const nested = nestFields(fields);
    expect(nested).toMatchObject({
      a: { b: { c: '1', d: '2' } },
      packages: ['x', 'y'],
      rows: [{ k: 'v' }],
      plain: 'p',
    });
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(() =>
      nestFields([
        ['a', '1'],
        ['a[b]', '2'],
      ]),
    ).toThrow(/contradict/);
    expect(() => nestFields([[`a${'[b]'.repeat(8)}`, '1']])).toThrow(/deeper than 8 levels/);
  });
});

describe('a slug', () => {
  it.each([
    ['1.0.1', '101'],
    ['v1.01', 'v101'],
    ['Hello_World  Two', 'hello-world-two'],
    ['--', ''],
    ['Ünïcode', 'unicode'],
  ])('of %s is %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });
});

describe('a block', () => {
  const row = (id: number, group_id: string | null) => ({ id, group_id }) as TransactionRow;
  const ids = (rows: readonly TransactionRow[]) => rows.map(({ id }) => id);

  it('begins with a deployment of several, and ends before the next one', () => {
    const pending = [
      row(1, 'a'),
      row(2, 'a'),
      row(3, null),
      row(4, 'b'),
      row(5, 'c'),
      row(6, 'c'),
      row(7, null),
    ];
    const { rows, rehearsed } = nextBatch(pending);
    expect([ids(rows), rehearsed]).toEqual([[1, 2, 3, 4], 2]);
    expect(nextBatch(pending.slice(2)).rehearsed).toBe(0);
    expect(ids(nextBatch(pending.slice(4)).rows)).toEqual([5, 6, 7]);
  });
});
