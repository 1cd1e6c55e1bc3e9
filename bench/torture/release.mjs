import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { png } from '../plans.mjs';

/** Certificates of the release. */
const ROWS = 30;

/** Effects that the whole release has, by the kinds of ground truth. */
export const EXPECTED = {
  project: 1,
  version: 1,
  category: 1,
  tag: 1,
  wallet: 1,
  instance: 5,
  'audit-contract': 1,
  'audit-record': 2,
  'certificate-contract': 1,
  certificate: ROWS,
  transfer: 1,
};

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Registry {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }
}

contract Ledger {
    address public immutable registry;
    uint256 public immutable cap;

    constructor(address registry_, uint256 cap_) {
        registry = registry_;
        cap = cap_;
    }
}

contract Desk {
    address public immutable registry;
    address public immutable ledger;

    constructor(address registry_, address ledger_) {
        registry = registry_;
        ledger = ledger_;
    }
}
`;

const PLAN = `windlass: 1
name: torture
wallets:
  registrar: { address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" }
  issuer: { address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }
  alice: { create: { name: Alice Sample, email: alice@example.com, ic: "000000-00-0000" } }
projects:
  registry:
    versions:
      1.0.0:
        compiler: { solidity: v0.8.37, optimizer: { enabled: true, runs: 200 } }
        sources: [Registry.sol]
deployments:
  core:
    version: registry@1.0.0
    wallet: { type: organisation, use: registrar }
    contracts:
      Registry: { params: { owner_: <registrar_ADDRESS> } }
      Ledger: { params: { registry_: <Registry_ADDRESS>, cap_: "1800000000000000000000000" } }
  portal:
    version: registry@1.0.0
    wallet: { type: organisation, use: registrar }
    contracts:
      Desk: { params: { registry_: <Registry_ADDRESS>, ledger_: <Ledger_ADDRESS> } }
      SecondDesk: { contract: Desk, params: { registry_: <Registry_ADDRESS>, ledger_: <Desk_ADDRESS> } }
  annex:
    version: registry@1.0.0
    wallet: { type: organisation, use: issuer }
    contracts:
      AnnexLedger: { contract: Ledger, params: { registry_: <Registry_ADDRESS>, cap_: "1" } }
audit:
  contracts: { releases: { encrypt_data: false } }
  categories: [release]
  tags: [v1]
  records:
    shipped:
      contract: releases
      signer: registrar
      categories: [release]
      tags: [v1]
      metadata: { release: 1.0.0, desk: <Desk_ADDRESS> }
    announced:
      contract: releases
      signer: issuer
      categories: [release]
      metadata: "Diplomas are tokens of <diplomas_ADDRESS>."
certificates:
  contracts:
    diplomas: { deployer: issuer, owner: issuer, name: Diploma, symbol: DIP, max_supply: 0 }
  batches:
    class:
      contract: diplomas
      rows: rows.csv
      key: id
      to: "{{wallet}}"
      name: "Diploma of {{name}}"
      description: A small certificate
      attributes: { Holder: "{{name}}" }
      image: "images/{{id}}.png"
  transfers:
    to-alice: { contract: diplomas, token: "class[R-00]", from: issuer, to: alice }
`;

const ISSUER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** A folder with a small release of every kind, compiled by the compiler that the package brings. */
export function releaseFolder() {
  const root = mkdtempSync(join(tmpdir(), 'windlass-torture-'));
  mkdirSync(join(root, 'images'));
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const id = `R-${String(index).padStart(2, '0')}`;
    writeFileSync(join(root, 'images', `${id}.png`), png(index));
    return `${id},${index === 0 ? ISSUER : `0x${(index + 1).toString(16).padStart(40, '0')}`},Holder ${index}`;
  });
  writeFileSync(join(root, 'rows.csv'), `id,wallet,name\n${rows.join('\n')}\n`);
  writeFileSync(join(root, 'Registry.sol'), SOURCE);
  writeFileSync(join(root, 'windlass.yaml'), PLAN);
  return root;
}
