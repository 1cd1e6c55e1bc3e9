import { createCipheriv, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import {
  encodeDeployData,
  parseAbi,
  parseTransaction,
  recoverTransactionAddress,
  getContractAddress,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import type { UnsignedDeployment } from '../../src/kinds/operation.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import type { SecretSource } from '../../src/model/value.js';
import { signDeployment } from '../../src/remote/signing.js';
import { aService, aWrite, json, serve } from './support.js';

const KEY = `0x${'11'.repeat(32)}` as const;
const OWNER = privateKeyToAccount(KEY).address;

const ABI = parseAbi([
  'struct Person { string name; address wallet; uint8[2] marks; }',
  'constructor(address _owner, uint256 cap, string label, bytes32 salt, bytes data, bool open, uint64[] parts, Person[] people)',
]);

const PARAMS: JsonObject = {
  people: [{ wallet: OWNER, name: 'Ä', marks: ['1', 2] }],
  parts: ['1', '18446744073709551615'],
  open: false,
  data: '0x',
  salt: `0x${'ab'.repeat(32)}`,
  label: 'a label that is longer than thirty-two bytes',
  cap: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  _owner: OWNER,
};

function anUnsigned(overrides: Partial<UnsignedDeployment> = {}): UnsignedDeployment {
  return {
    from: OWNER,
    nonce: 7,
    chainId: 2207,
    gasPrice: '0',
    abi: ABI,
    bytecode: '0x6001600255',
    params: PARAMS,
    signer: { key: { $secret: { env: 'WINDLASS_VAR_SIGNER_KEY' } } },
    ...overrides,
  };
}

const fromEnvironment = async (): Promise<string> => `${KEY}\n`;

test('the signed creation is what an independent library makes of the same parameters', async () => {
  const raw = await signDeployment(anUnsigned(), fromEnvironment);
  const transaction = parseTransaction(raw as `0x${string}`);
  expect(transaction).toMatchObject({ type: 'legacy', chainId: 2207, nonce: 7 });
  expect(transaction.to ?? undefined).toBeUndefined();
  expect(await recoverTransactionAddress({ serializedTransaction: raw as never })).toBe(OWNER);
  const person = { name: 'Ä', wallet: OWNER, marks: [1, 2] as const };
  expect(transaction.data).toBe(
    encodeDeployData({
      abi: ABI,
      bytecode: '0x6001600255',
      args: [
        OWNER,
        2n ** 256n - 1n,
        'a label that is longer than thirty-two bytes',
        `0x${'ab'.repeat(32)}`,
        '0x',
        false,
        [1n, 2n ** 64n - 1n],
        [person],
      ],
    }),
  );
});

test.each([
  ['no constructor', [], {}, []],
  ['one parameter', ['constructor(string label)'], { label: 'x' }, ['x']],
  ['one list', ['constructor(uint256[] sizes)'], { sizes: [1, 2] }, [[1n, 2n]]],
])('a contract with %s is encoded', async (_, signatures, params, args) => {
  const abi = signatures.length === 0 ? [] : parseAbi(signatures as never);
  const unsigned = anUnsigned({ abi, params });
  const { data } = parseTransaction((await signDeployment(unsigned, fromEnvironment)) as `0x${string}`);
  const expected =
    args.length === 0 ? '0x6001600255' : encodeDeployData({ abi, bytecode: '0x6001600255', args } as never);
  expect(data).toBe(expected);
});

test.each<[string, JsonObject]>([
  ['text for a number', { cap: 'many' }],
  ['a negative unsigned number', { cap: '-1' }],
  ['a number that is too large', { cap: `1${'0'.repeat(90)}` }],
  ['a missing parameter', { cap: null }],
  ['half a byte', { data: '0x1' }],
  ['too short a hash', { salt: '0x12' }],
  ['text for a list', { parts: '1' }],
  ['no boolean', { open: 'yes' }],
])('%s is refused and nothing is signed', async (_, wrong) => {
  const unsigned = anUnsigned({ params: { ...PARAMS, ...wrong } });
  await expect(signDeployment(unsigned, fromEnvironment)).rejects.toMatchObject({ code: 'STEP_PARAMS' });
});

test.each(['', '0x12', 'not a key', '00'.repeat(32), 'ff'.repeat(32), '22'.repeat(32)])(
  'the key %j is refused without being shown',
  async (key) => {
    const error = await signDeployment(anUnsigned(), async () => key).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'SECRET_MISSING' });
    if (key.length > 4) expect(String(error)).not.toContain(key);
  },
);

/** A keystore file as wallets write it (Web3 Secret Storage, version 3). */
function aKeystore(kdf: 'scrypt' | 'pbkdf2', password: string): string {
  const [salt, iv] = [randomBytes(32), randomBytes(16)];
  const key =
    kdf === 'scrypt'
      ? scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })
      : pbkdf2Sync(password, salt, 1000, 32, 'sha256');
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), iv);
  const ciphertext = cipher.update(KEY.slice(2), 'hex', 'hex') + cipher.final('hex');
  const params = kdf === 'scrypt' ? { n: 1024, r: 8, p: 1 } : { c: 1000, prf: 'hmac-sha256' };
  const kdfparams = { ...params, dklen: 32, salt: salt.toString('hex') };
  const cipherparams = { iv: iv.toString('hex') };
  return JSON.stringify({
    version: 3,
    crypto: { cipher: 'aes-128-ctr', ciphertext, cipherparams, kdf, kdfparams },
  });
}

const SIGNER = { keystore: 'keys/deployer.json', password: { $secret: { env: 'PASSWORD' } } } as const;

function secretsOf(keystore: string, password: string) {
  return async (source: SecretSource): Promise<string> => ('file' in source ? keystore : password);
}

test.each(['scrypt', 'pbkdf2'] as const)('a keystore made with %s signs', async (kdf) => {
  const secrets = secretsOf(aKeystore(kdf, 'open sesame'), 'open sesame');
  const raw = await signDeployment(anUnsigned({ signer: SIGNER }), secrets);
  expect(await recoverTransactionAddress({ serializedTransaction: raw as never })).toBe(OWNER);
});

test.each([
  ['a wrong password', aKeystore('scrypt', 'right')],
  ['no JSON', 'x'],
  ['another file', '{"version":3}'],
  ['unknown derivation', aKeystore('scrypt', 'wrong').replace('"scrypt"', '"argon2"')],
  ['an absurd cost', aKeystore('scrypt', 'wrong').replace('"n":1024', '"n":1073741824')],
])('a keystore with %s is refused', async (_, keystore) => {
  const signing = signDeployment(anUnsigned({ signer: SIGNER }), secretsOf(keystore, 'wrong'));
  await expect(signing).rejects.toMatchObject({ code: 'SECRET_MISSING' });
});

test('a deployment is signed just before it is sent, and a file’s text is put in its place', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, { message: 'Success', result: {} }));
  const service = aService(url, { secrets: fromEnvironment, files: async () => Buffer.from('0xsigned\n') });
  const unsigned = anUnsigned() as unknown as Json;
  const file = { path: 'a.hex', digest: 'sha256:0', sizeBytes: 9 };
  const deployment_params = [{ signed_trx: { $signed: unsigned } }, { signed_trx: { $text: file } }];
  const params = { projectSlug: 'p', versionSlug: 'v' };
  await service.write(aWrite({ endpoint: 'version.deploy', params, body: { deployment_params } }), undefined);
  const sent = JSON.parse(String(seen[0]?.body)) as { deployment_params: { signed_trx: string }[] };
  expect(sent.deployment_params[0]?.signed_trx).toBe(await signDeployment(anUnsigned(), fromEnvironment));
  expect(sent.deployment_params[1]?.signed_trx).toBe('0xsigned');
});

test('an account tells what signing needs, from a node or from the service', async () => {
  const node = await serve((request, response) => {
    const calls = JSON.parse(String(request.body)) as { id: number; method: string }[];
    const results: Record<string, string> = {
      eth_getTransactionCount: '0x7',
      eth_chainId: '0x89f',
      eth_gasPrice: '0x3b9aca00',
    };
    json(
      response,
      200,
      calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: results[method] })),
    );
  });
  const { url } = await serve(({ url: path }, response) => {
    const result = path.includes('nonce') ? 7 : path.includes('chain-id') ? 2207 : 1_000_000_000;
    json(response, 200, { message: 'Success', result });
  });
  const creates = [7n, 8n].map((nonce) => getContractAddress({ from: OWNER, nonce }));
  const value = { nonce: 7, chainId: 2207, gasPrice: '1000000000', creates };
  const request = { type: 'account', address: OWNER, count: 2 } as const;
  expect(await aService(url, { rpcUrl: node.url }).read(request)).toEqual({
    type: 'found',
    value,
    source: 'chain',
  });
  expect(await aService(url).read(request)).toEqual({ type: 'found', value, source: 'read' });
  const bare = aService(url, { capabilities: new Set(['receipts']) });
  expect(await bare.read(request)).toMatchObject({ type: 'unreadable' });
});
