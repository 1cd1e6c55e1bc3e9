import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { PNG } from './certificate-samples.js';
import { at, textAt } from './client.js';
import { openReleases, type Releases } from './releases.js';

// What PHP's curl extension and its wrappers put on the wire, byte for byte, over a plain socket.

let releases: Releases;
beforeAll(async () => {
  releases = await openReleases();
});
afterAll(() => releases.close());

const BOUNDARY = '------------------------d74496d66958873e';

/** One part: curl writes no `filename*`, and the type of a file as PHP guessed it. */
function part(name: string, value: string | Buffer, filename?: string, type?: string): Buffer {
  const file =
    filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/octet-stream`;
  return typed(name, value, file + (type === undefined ? '' : `\r\nContent-Type: ${type}`));
}

/** One part with whatever stands behind its name. */
function typed(name: string, value: string | Buffer, file: string): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]);
}

interface Exchange {
  /** Status lines in the order in which they came. */
  readonly statuses: readonly number[];
  readonly body: Json;
}

/** Posts a form as curl does: headers first, the body once the server says `100 Continue`. */
function post(path: string, parts: readonly Buffer[], pieces = 1): Promise<Exchange> {
  const { apiKey, apiUrl } = releases.platform;
  const { hostname, port } = new URL(apiUrl);
  // Without pieces the form breaks off before its last line.
  const body = Buffer.concat([...parts, Buffer.from(pieces === 0 ? '' : `--${BOUNDARY}--\r\n`)]);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Accept: */*',
    `client_id: ${apiKey?.client_id ?? ''}`,
    `client_secret: ${apiKey?.client_secret ?? ''}`,
    `Content-Length: ${String(body.length)}`,
    'Expect: 100-continue',
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    'Connection: close',
    '\r\n',
  ].join('\r\n');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    let isSent = false;
    socket.on('error', reject);
    socket.on('connect', () => socket.write(head));
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      if (isSent || !answer.includes('\r\n\r\n')) return;
      isSent = true;
      const size = Math.ceil(body.length / Math.max(1, pieces));
      for (let from = 0; from < body.length; from += size) socket.write(body.subarray(from, from + size));
    });
    socket.on('close', () => {
      const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => Number(match[1]));
      resolve({ statuses, body: JSON.parse(answer.slice(answer.indexOf('{'))) as Json });
    });
  });
}

const SOURCE = 'pragma solidity ^0.8.0;\r\ncontract Box { }\r\n';

describe('a form as PHP sends it', { timeout: 60_000 }, () => {
  it('makes a version: indexed names, booleans as digits, the body after 100 Continue', async () => {
    const project = await releases.project('From PHP');
    const { statuses, body } = await post(`/api/contract/projects/${project}/versions`, [
      part('version', '1.0.0'),
      part('compiler_settings[solidity][version]', 'v0.8.37'),
      part('compiler_settings[solidity][settings][optimizer][enabled]', '1'),
      part('compiler_settings[solidity][settings][optimizer][runs]', '200'),
      part('packages[0]', ''),
      part('contract_files[0]', SOURCE, 'Box.sol'),
      part('contract_files[2]', SOURCE.replace('Box', 'Crate'), '/home/me/contracts/Crate.sol'),
    ]);
    expect(statuses).toEqual([100, 200]);
    expect(at(body, 'result.compiler_settings.solidity.settings.optimizer')).toEqual({
      enabled: true,
      runs: 200,
    });
    const version = await releases.settled(project, textAt(body, 'result.slug'));
    expect(version['status']).toBe('compiled');
    const files = at(version, 'contract_files') as readonly { filename: string; url: string }[];
    expect(files.map(({ filename }) => filename)).toEqual(['Box.sol', 'Crate.sol']);
    expect(await (await fetch(files[0]?.url ?? '')).text()).toBe(SOURCE);
  });

  it('with gaps in its indexes and an optimizer that is off means what PHP means by it', async () => {
    const project = await releases.project('Gaps');
    const { body } = await post(`/api/contract/projects/${project}/versions`, [
      part('version', '1'),
      part('compiler_settings[solidity][version]', '0.8.37'),
      part('compiler_settings[solidity][settings][optimizer][enabled]', '0'),
      part('packages[1]', '@openzeppelin/contracts@5.0.2'),
      part('packages[3]', 'solmate@6.8.0'),
      part('contract_files[]', SOURCE, 'Box.sol'),
    ]);
    expect(at(body, 'result.packages')).toEqual(['@openzeppelin/contracts@5.0.2', 'solmate@6.8.0']);
    expect(at(body, 'result.compiler_settings.solidity.settings.optimizer.enabled')).toBe(false);
  });

  it('mints, however the bytes are cut', async () => {
    const owner = releases.platform.wallets[0] ?? '';
    const url = releases.receiver.url();
    await releases.api.post('/api/certificate/create-smartcontract', {
      wallet_address: owner,
      name: 'diplomas',
      field: { wallet_address_owner: owner, max_supply: 0, name: 'Diploma', symbol: 'DIP' },
      callback_url: url,
    });
    const contract = textAt(await releases.receiver.received(url), 'result.contract_address');
    const callback_url = releases.receiver.url();
    const { statuses, body } = await post(
      '/api/certificate/mint-certificate',
      [
        part('wallet_address', owner),
        part('to', owner),
        part('contract_address', contract),
        part('name', 'Diplôme "première classe"\r\nzweite Zeile'),
        part('description', '--'),
        part('attributes', '[{"trait":"Année","value":"2026"}]'),
        part('callback_url', callback_url),
        part('file', Buffer.concat([PNG, Buffer.from(`\r\n--${BOUNDARY.slice(0, -1)}\r\n`)]), 'diplôme.png'),
      ],
      97,
    );
    expect(statuses.at(-1)).toBe(200);
    const document = (await (await fetch(textAt(body, 'result.certificate'))).json()) as Json;
    expect(textAt(document, 'name')).toBe('Diplôme "première classe"\r\nzweite Zeile');
    const image = Buffer.from(await (await fetch(textAt(document, 'image'))).arrayBuffer());
    expect(image.length).toBe(PNG.length + BOUNDARY.length + 5);
    expect(at(await releases.receiver.received(callback_url), 'result.status')).toBe('success');
  });

  it('is read as text where a part says that it is JSON or bytes, to the last digit', async () => {
    const project = await releases.project('Typed parts');
    const settings = 'compiler_settings[solidity]';
    const { statuses, body } = await post(`/api/contract/projects/${project}/versions`, [
      part('version', '12345678901234567890', undefined, 'application/json'),
      part(`${settings}[version]`, '0.8.37', undefined, 'application/octet-stream'),
      part(`${settings}[settings][optimizer][runs]`, '{', undefined, 'application/json'),
      part('contract_files[]', SOURCE, 'Box.sol'),
    ]);
    expect(statuses.at(-1)).toBe(422);
    expect(Object.keys(at(body, 'errors') as object)).toEqual([
      'compiler_settings.solidity.settings.optimizer.runs',
    ]);
    const owner = releases.platform.wallets[1] ?? '';
    const refused = async (value: string): Promise<string[]> => {
      const attributes = `[{"trait":"Serial","value":${value}}]`;
      const mint = await post('/api/certificate/mint-certificate', [
        part('wallet_address', owner),
        part('attributes', attributes, undefined, 'application/json; charset=utf-8'),
      ]);
      return Object.keys(at(mint.body, 'errors') as object);
    };
    expect(await refused('"12345678901234567890"')).not.toContain('attributes');
    expect(await refused('12345678901234567890')).toContain('attributes');
  });

  it('takes files by whatever name a person gave them', async () => {
    const project = await releases.project('Names');
    const names = ['Prüfung.sol', 'a "b".sol', '合约 (1)+%41.sol', "d'été.sol"];
    const filenames = ['Prüfung.sol', String.raw`a \"b\".sol`, ...names.slice(2)];
    const { body } = await post(`/api/contract/projects/${project}/versions`, [
      part('version', '1'),
      part('compiler_settings[solidity][version]', '0.8.37'),
      ...filenames.map((name, index) =>
        part(`contract_files[f${String(index)}]`, `contract Box${String(index)} { }`, name),
      ),
    ]);
    const version = await releases.settled(project, textAt(body, 'result.slug'));
    expect(version['status']).toBe('compiled');
    const files = at(version, 'contract_files') as readonly { filename: string; url: string }[];
    expect(files.map(({ filename }) => filename)).toEqual(names);
    for (const { url } of files) expect((await fetch(url)).status).toBe(200);
  });

  it('that ends in the middle is refused, and nothing comes of it', async () => {
    const project = await releases.project('Cut');
    const cut = Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="version"\r\n`);
    const { statuses, body } = await post(
      `/api/contract/projects/${project}/versions`,
      [part('version', '1'), cut],
      0,
    );
    expect([statuses.at(-1), Object.keys(body as object)]).toEqual([400, ['message']]);
    const versions = await releases.api.get(`/api/contract/projects/${project}/versions`);
    expect(at(versions.body, 'result')).toEqual([]);
  });
});
