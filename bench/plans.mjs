import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

export const LINK = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Link {
    address public immutable previous;

    constructor(address previous_) {
        previous = previous_;
    }
}
`;

/** A folder with a plan of `count` contracts; in a chain each takes the previous one's address, otherwise a constant. */
export function contractsPlan(count, chained) {
  return chained ? linksPlan(1, count) : linksPlan(count, 1);
}

/** A folder with a plan of `branches` chains of contracts, `depth` long, which need nothing of each other. */
export function linksPlan(branches, depth) {
  const root = folder();
  writeFileSync(join(root, 'Link.sol'), LINK);
  const contracts = [];
  // Level by level: the first of each branch, then the second of each.
  for (let level = 0; level < depth; level += 1) {
    for (let branch = 0; branch < branches; branch += 1) {
      const previous = level === 0 ? WALLET : `<Link${branch}x${level - 1}_ADDRESS>`;
      contracts.push(
        `      Link${branch}x${level}: { contract: Link, params: { previous_: "${previous}" } }`,
      );
    }
  }
  const text = `windlass: 1
name: links
wallets:
  deployer: { address: "${WALLET}" }
projects:
  links:
    versions:
      1.0.0:
        compiler: { solidity: v0.8.37, optimizer: { enabled: true, runs: 200 } }
        sources: [Link.sol]
deployments:
  links:
    version: links@1.0.0
    wallet: { type: organisation, use: deployer }
    contracts:
${contracts.join('\n')}
`;
  writeFileSync(join(root, 'windlass.yaml'), text);
  return root;
}

/** A folder with a plan that mints `count` small certificates. */
export function certificatesPlan(count) {
  const root = folder();
  mkdirSync(join(root, 'images'));
  const rows = ['id,wallet,name'];
  for (let index = 0; index < count; index += 1) {
    rows.push(`R-${index},0x${(index + 1).toString(16).padStart(40, '0')},Holder ${index}`);
    writeFileSync(join(root, 'images', `R-${index}.png`), png(index));
  }
  writeFileSync(join(root, 'rows.csv'), `${rows.join('\n')}\n`);
  const text = `windlass: 1
name: certificates
wallets:
  registrar: { address: "${WALLET}" }
certificates:
  contracts:
    diplomas: { deployer: registrar, owner: registrar, name: Diploma, symbol: DIP, max_supply: 0 }
  batches:
    all:
      contract: diplomas
      rows: rows.csv
      key: id
      to: "{{wallet}}"
      name: "Diploma of {{name}}"
      description: A small certificate
      attributes: { Holder: "{{name}}" }
      image: "images/{{id}}.png"
`;
  writeFileSync(join(root, 'windlass.yaml'), text);
  return root;
}

function folder() {
  return mkdtempSync(join(tmpdir(), 'windlass-bench-'));
}

/** An 8×8 grey PNG whose shade depends on `index`. */
export function png(index) {
  const header = Buffer.from('89504e470d0a1a0a', 'hex');
  const size = Buffer.alloc(13);
  size.writeUInt32BE(8, 0);
  size.writeUInt32BE(8, 4);
  size.set([8, 0, 0, 0, 0], 8);
  const pixels = Buffer.concat(
    Array.from({ length: 8 }, (_, row) => Buffer.from([0, ...Array(8).fill((index * 7 + row) % 256)])),
  );
  return Buffer.concat([
    header,
    chunk('IHDR', size),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
