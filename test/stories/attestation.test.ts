import { generateKeyPairSync, verify, createHash, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Ajv from 'ajv';
import { describe, expect, it } from 'vitest';
import { STORY, png, tellStory, type Files, type Story } from '../support/story.js';

const EMAIL = 'canary.alice@example.com';
const IC = '991231-14-5678';
const SECRET = 'canary-secret-of-the-signer';

const FILES: Files = {
  'windlass.yaml': `windlass: 1
name: attested
wallets:
  registrar: { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
  alice: { create: { name: Alice Tan, email: { env: WINDLASS_VAR_ALICE_EMAIL }, ic: { env: WINDLASS_VAR_ALICE_IC } } }
projects:
  vault:
    versions:
      1.0.0:
        compiler: { solidity: v0.8.28, optimizer: { enabled: true, runs: 200 } }
        sources: [contracts/*.sol]
deployments:
  core:
    version: vault@1.0.0
    wallet: { type: organisation, use: registrar }
    contracts:
      Vault: { params: { keeper: <registrar_ADDRESS> } }
certificates:
  contracts:
    diplomas: { deployer: registrar, owner: registrar, name: Diploma, symbol: DIP, max_supply: 0 }
  batches:
    class:
      contract: diplomas
      rows: data/class.csv
      key: id
      to: '{{wallet}}'
      name: 'Diploma of {{full_name}}'
      description: A diploma
      image: 'images/{{id}}.png'
`,
  'contracts/Vault.sol':
    '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract Vault { address public owner; constructor(address keeper) { owner = keeper; } }\n',
  'data/class.csv':
    'id,full_name,wallet\nS-77,Canary Personne,0x70997970C51812dc3A010C7d01b50e0d17dc79C8\nS-78,Bob Lim,0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n',
  'images/S-77.png': png(1),
  'images/S-78.png': png(2),
};

const ENV = { WINDLASS_VAR_ALICE_EMAIL: EMAIL, WINDLASS_VAR_ALICE_IC: IC };

interface Envelope {
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

interface Descriptor {
  readonly name: string;
  readonly uri?: string;
  readonly digest: { readonly sha256: string };
}

interface Statement {
  readonly subject: readonly Descriptor[];
  readonly predicate: {
    readonly plan: Descriptor;
    readonly inputs: readonly Descriptor[];
    readonly resources: readonly {
      readonly id: string;
      readonly transaction?: string;
      readonly evidence: string;
    }[];
    readonly runs: readonly { readonly result?: string }[];
  };
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');

const pemOf = (key: KeyObject): string =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).toString();

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

const read = async <Shape>(story: Story, path: string): Promise<Shape> =>
  JSON.parse(await readFile(join(story.folder, path), 'utf8')) as Shape;

function statementIn(envelope: Envelope): Statement {
  return JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8')) as Statement;
}

async function released(tell: (story: Story) => Promise<void>): Promise<void> {
  await tellStory(FILES, ENV, async (story) => {
    await story.apply();
    await story.write({ 'release.key': pemOf(privateKey), 'release.pub': pemOf(publicKey) });
    await tell(story);
  });
}

const verifies = (story: Story, file: string, ...args: readonly string[]) =>
  story.run('verify', '--attestation', file, ...args);

/** It names lockfile, batches, bytecode, plan, inputs, transactions and evidence, and nothing about people. */
async function tellWhatItNames(story: Story): Promise<void> {
  const ended = await story.run('attest', '--out', 'release.intoto.json');
  expect(ended).toMatchObject({ code: 0, stdout: '' });
  const text = await readFile(join(story.folder, 'release.intoto.json'), 'utf8');
  const statement = JSON.parse(text) as Statement;

  const schema = JSON.parse(
    await readFile(new URL('../../schemas/attestation.schema.json', import.meta.url), 'utf8'),
  ) as object;
  const validate = new Ajv.default({ allErrors: true }).compile(schema);
  validate(statement);
  expect(validate.errors).toBeNull();

  const digests = new Map(statement.subject.map(({ name, digest }) => [name, digest.sha256]));
  for (const name of ['windlass.local.lock.json', 'windlass.local.lock/class.ndjson']) {
    expect(digests.get(name)).toBe(sha256(await readFile(join(story.folder, name))));
  }
  const addresses = await story.addresses();
  for (const id of ['contract.core.Vault', 'certificate-contract.diplomas']) {
    const code = await story.chain.getCode({ address: addresses[id]! });
    expect(digests.get(id)).toBe(sha256(Buffer.from(code!.slice(2), 'hex')));
  }
  const vault = statement.subject.find(({ name }) => name === 'contract.core.Vault');
  expect(vault?.uri).toBe(`eip155:31337:${addresses['contract.core.Vault']}`);

  const { plan, inputs, resources, runs } = statement.predicate;
  expect(plan.digest.sha256).toBe(sha256(FILES['windlass.yaml']!));
  const pictures = ['S-77', 'S-78']
    .map((id) => `${sha256(FILES[`images/${id}.png`]!)}  images/${id}.png\n`)
    .toSorted();
  expect(inputs.map(({ name, digest }) => [name, digest.sha256])).toEqual([
    ['contracts/Vault.sol', sha256(FILES['contracts/Vault.sol']!)],
    ['data/class.csv', sha256(FILES['data/class.csv']!)],
    ['pictures of class', sha256(pictures.join(''))],
  ]);
  const contract = resources.find(({ id }) => id === 'contract.core.Vault');
  expect(contract).toMatchObject({ evidence: 'A' });
  expect(contract?.transaction).toMatch(/^0x[0-9a-f]{64}$/);
  expect(runs).toMatchObject([{ result: 'done' }]);

  for (const canary of [EMAIL, IC, 'Canary Personne', 'S-77', 'Alice Tan', story.folder]) {
    expect(text).not.toContain(canary);
  }
  expect((await story.run('attest')).stdout).toBe(text);
  const unsigned = await verifies(story, 'release.intoto.json');
  expect(unsigned.code).toBe(0);
  expect(unsigned.stdout).toContain('Not signed');
}

/** It is signed in an envelope that any DSSE verifier can check, and verified with the public key. */
async function tellWhoSigned(story: Story): Promise<void> {
  const ended = await story.run('attest', '--key-file', 'release.key', '--out', 'signed.json');
  expect(ended.code).toBe(0);
  const envelope = await read<Envelope>(story, 'signed.json');
  const payload = Buffer.from(envelope.payload, 'base64');
  const type = 'application/vnd.in-toto+json';
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
  const [signature] = envelope.signatures;
  expect(verify(null, signed, publicKey, Buffer.from(signature!.sig, 'base64'))).toBe(true);
  expect(signature?.keyid).toBe(`sha256:${sha256(publicKey.export({ type: 'spki', format: 'der' }))}`);

  const verified = await verifies(story, 'signed.json', '--key-file', 'release.pub', '--format', 'json');
  expect(verified.code).toBe(0);
  const result = JSON.parse(verified.stdout) as { findings: { what: string; outcome: string }[] };
  expect(result).toMatchObject({
    environment: 'local',
    signature: 'verified',
    signedBy: signature?.keyid,
  });
  expect(new Set(result.findings.map(({ what }) => what))).toEqual(
    new Set(['lockfile', 'plan', 'input', 'bytecode']),
  );
  expect(result.findings.every(({ outcome }) => outcome === 'same')).toBe(true);

  expect((await verifies(story, 'signed.json')).stderr).toContain('ATTESTATION_KEY');
}

/** It is refused with 5 when a byte of it was changed, when another key signed it, or when nobody did. */
async function tellWhatIsRefused(story: Story): Promise<void> {
  await story.run('attest', '--key-file', 'release.key', '--out', 'signed.json');
  await story.run('attest', '--out', 'bare.json');
  const envelope = await read<Envelope>(story, 'signed.json');
  const bare = await readFile(join(story.folder, 'bare.json'), 'utf8');
  const edited = JSON.stringify(statementIn(envelope)).replace('"evidence":"B"', '"evidence":"A"');
  expect(edited).toContain('"evidence":"A"');
  const files = {
    'payload.json': JSON.stringify({ ...envelope, payload: Buffer.from(edited).toString('base64') }),
    'signature.json': JSON.stringify(envelope).replace(/"sig":"(.)/, (all, first) =>
      all.replace(/.$/, first === 'A' ? 'B' : 'A'),
    ),
    'none.json': JSON.stringify({ ...envelope, signatures: [] }),
    'type.json': JSON.stringify({ ...envelope, payloadType: 'text/plain' }),
    'torn.json': JSON.stringify(envelope).slice(0, -9),
    'bare-signed.json': bare,
  };
  await story.write({ ...files, 'other.pub': pemOf(other.publicKey) });
  for (const file of Object.keys(files)) {
    const ended = await verifies(story, file, '--key-file', 'release.pub');
    expect(ended, file).toMatchObject({ code: 5, stdout: '' });
    expect(ended.stderr, file).toContain('ATTESTATION_TAMPERED');
  }
  expect((await verifies(story, 'signed.json', '--key-file', 'other.pub')).code).toBe(5);
  // Not signed, so its digest of the lockfile holds; but it says other things of that file.
  await story.write({ 'lie.json': edited });
  const lie = await verifies(story, 'lie.json');
  expect(lie.code).toBe(5);
  expect(lie.stderr).toContain('ATTESTATION_TAMPERED');
}

describe('an attestation', () => {
  it(
    'names everything that went in and came out and nobody, is signed, and is refused once it was changed',
    async () => {
      await released(async (story) => {
        await tellWhatItNames(story);
        await tellWhoSigned(story);
        await tellWhatIsRefused(story);
      });
    },
    STORY,
  );

  it(
    'does not hold, with exit 6 and the names, once a file or the bytecode differs; and an edited plan is not attested',
    async () => {
      await released(async (story) => {
        await story.run('attest', '--key-file', 'release.key', '--out', 'signed.json');
        const checked = (...args: readonly string[]) =>
          verifies(story, 'signed.json', '--key-file', 'release.pub', ...args);
        const change = async (path: string, content: string | Uint8Array, finding: string): Promise<void> => {
          const before = await readFile(join(story.folder, path));
          await writeFile(join(story.folder, path), content);
          const ended = await checked();
          expect(ended, path).toMatchObject({ code: 6 });
          expect(ended.stderr, path).toContain('ATTESTATION_MISMATCH');
          expect(ended.stdout, path).toContain(finding);
          await writeFile(join(story.folder, path), before);
        };
        const rows = await readFile(join(story.folder, 'windlass.local.lock/class.ndjson'), 'utf8');
        await change(
          'contracts/Vault.sol',
          `${String(FILES['contracts/Vault.sol'])}\n`,
          'differs input contracts/Vault.sol',
        );
        await change('images/S-78.png', png(9), 'differs input pictures of class');
        await change(
          'windlass.yaml',
          `${String(FILES['windlass.yaml'])}# seen\n`,
          'differs plan windlass.yaml',
        );
        await change('windlass.yaml', 'windlass: [', 'differs plan windlass.yaml');
        await change(
          'windlass.local.lock/class.ndjson',
          rows.replace('Bob', 'Rob'),
          'differs lockfile windlass.local.lock/class.ndjson',
        );
        await change('windlass.local.lock.json', '{}', 'differs lockfile windlass.local.lock.json');

        const statement = statementIn(await read<Envelope>(story, 'signed.json'));
        const subject = statement.subject.map((one) =>
          one.name === 'contract.core.Vault' ? { ...one, digest: { sha256: sha256('other code') } } : one,
        );
        await story.write({ 'code.json': JSON.stringify({ ...statement, subject }) });
        const replaced = await verifies(story, 'code.json');
        expect(replaced.code).toBe(6);
        expect(replaced.stdout).toContain('differs bytecode contract.core.Vault');

        await story.write({
          'windlass.yaml': String(FILES['windlass.yaml']).replace('symbol: DIP', 'symbol: DPL'),
        });
        const unfinished = await story.run('attest');
        expect(unfinished).toMatchObject({ code: 5, stdout: '' });
        expect(unfinished.stderr).toContain('ATTESTATION_UNFINISHED');
      });
    },
    STORY,
  );

  it(
    'refuses keys that it does not sign with, and shows no part of them',
    async () => {
      await tellStory(FILES, ENV, async (story) => {
        const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const locked = privateKey.export({
          type: 'pkcs8',
          format: 'pem',
          cipher: 'aes-256-cbc',
          passphrase: SECRET,
        });
        await story.write({
          'rsa.key': pemOf(rsa.privateKey),
          'locked.key': locked,
          'public.key': pemOf(publicKey),
        });
        for (const file of ['rsa.key', 'locked.key', 'public.key', 'absent.key']) {
          const ended = await story.run('attest', '--key-file', file);
          expect(ended, file).toMatchObject({ code: 3, stdout: '' });
          expect(ended.stderr, file).toContain('ATTESTATION_KEY');
          expect(ended.stderr, file).not.toMatch(/BEGIN|MII|MC4C/);
        }
        expect((await story.run('attest')).stderr).toContain('ATTESTATION_UNFINISHED');
      });
    },
    STORY,
  );
});
