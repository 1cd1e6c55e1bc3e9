/** Plans with one mistake each, whose guilty line says `# HERE`; most are those that people make. */
const HEAD = 'windlass: 1\nname: release\n';

const VERSION = `projects:
  registry:
    versions:
      1.0.0:
`;

const DEPLOYMENT = `deployments:
  core:
    version: registry@1.0.0
    wallet: { type: organisation, use: registrar }
    contracts:
`;

/** What is wrong, and the plan. */
export const BROKEN: Readonly<Record<string, string>> = {
  'the language has another version': 'windlass: 2 # HERE\nname: release\n',
  'the name has a blank': 'windlass: 1\nname: my release # HERE\n',
  'the name is a list': 'windlass: 1\nname: [release] # HERE\n',
  'the name is missing': 'windlass: 1 # HERE\n',
  'a section is misspelt': `${HEAD}walets: {} # HERE\n`,
  'a section stands twice': `${HEAD}vars: { a: '1' }\nvars: { b: '2' } # HERE\n`,
  'a section is a text': `${HEAD}wallets: registrar # HERE\n`,
  'a quote is not closed': `${HEAD}vars: { a: 'b } # HERE`,
  'a bracket is not closed': `${HEAD}audit:\n  tags: [v1 # HERE`,
  'a key is indented too little': `${HEAD}audit:\n  tags: [v1]\n categories: [a] # HERE\n`,
  'an environment has an unknown key': `${HEAD}environments:\n  test:\n    base_uri: https://a.example # HERE\n`,
  'a base address has no scheme': `${HEAD}environments:\n  test:\n    base_url: service.example.com # HERE\n`,
  'a rate has a wrong unit': `${HEAD}environments:\n  test:\n    rate_limit: 50/day # HERE\n`,
  'too few writes are in flight': `${HEAD}environments:\n  test:\n    max_in_flight: 0 # HERE\n`,
  'a capability is unknown': `${HEAD}environments:\n  test:\n    capabilities:\n      - receipts\n      - receits # HERE\n`,
  'callbacks are on': `${HEAD}environments:\n  test:\n    callbacks: on_please # HERE\n`,
  'protection is a text': `${HEAD}environments:\n  test:\n    protected: "yes" # HERE\n`,
  'a credential stands in the plan': `${HEAD}environments:\n  test:\n    credentials:\n      client_id: abc # HERE\n      client_secret: { env: WINDLASS_VAR_SECRET }\n`,
  'a secret has two sources': `${HEAD}environments:\n  test:\n    credentials:\n      client_id: { env: WINDLASS_VAR_A, file: b } # HERE\n      client_secret: { env: WINDLASS_VAR_SECRET }\n`,
  'a credential is missing': `${HEAD}environments:\n  test:\n    credentials: # HERE\n      client_id: { env: WINDLASS_VAR_ID }\n`,
  'a wallet is a text': `${HEAD}wallets:\n  registrar: alice # HERE\n`,
  'a wallet has two natures': `${HEAD}wallets:\n  a: { address: '0x52908400098527886E0F7030069857D2E4169EE7', create: { name: A, email: a@b.c, ic: '1' } } # HERE\n`,
  'a person has no e-mail': `${HEAD}wallets:\n  a:\n    create: # HERE\n      name: A\n      ic: '1'\n`,
  'a compiler has no exact version': `${HEAD}${VERSION}        compiler: { solidity: ^0.8.0 } # HERE\n        sources: [a.sol]\n`,
  'a version has no sources': `${HEAD}${VERSION}        sources: [] # HERE\n        compiler: { solidity: v0.8.28 }\n`,
  'a version lacks its compiler': `${HEAD}${VERSION.replace('1.0.0:', '1.0.0: # HERE')}        sources: [a.sol]\n`,
  'a version name has a slash': `${HEAD}projects:\n  registry:\n    versions:\n      1.0/beta: # HERE\n        compiler: { solidity: v0.8.28 }\n        sources: [a.sol]\n`,
  'the optimizer runs a negative number of times': `${HEAD}${VERSION}        compiler:\n          solidity: v0.8.28\n          optimizer: { enabled: true, runs: -1 } # HERE\n        sources: [a.sol]\n`,
  'a deployment names no version': `${HEAD}${DEPLOYMENT.replace('registry@1.0.0', 'registry # HERE')}      Token: {}\n`,
  'a kind of wallet is unknown': `${HEAD}${DEPLOYMENT.replace('organisation, use: registrar }', 'organization, use: registrar } # HERE')}      Token: {}\n`,
  'parameters are misspelt': `${HEAD}${DEPLOYMENT}      Token: { parms: { cap: '1' } } # HERE\n`,
  'parameters are a list': `${HEAD}${DEPLOYMENT}      Token:\n        params: [1] # HERE\n`,
  'a mode of deploying is unknown': `${HEAD}${DEPLOYMENT.replace('    contracts:', '    deploy: bulk # HERE\n    contracts:')}      Token: {}\n`,
  'a record has no signer': `${HEAD}audit:\n  records:\n    shipped: # HERE\n      contract: releases\n      metadata: { a: b }\n`,
  'an id is a text': `${HEAD}audit:\n  tags:\n    v1: { id: seven } # HERE\n`,
  'a supply is negative': `${HEAD}certificates:\n  contracts:\n    diplomas: { owner: registrar, max_supply: -1 } # HERE\n`,
  'a batch has an unknown marker': `${HEAD}certificates:\n  batches:\n    class:\n      contract: d\n      rows: a.csv\n      key: id\n      to: a\n      name: A\n      description: B\n      image: c.png\n      marker: attr # HERE\n`,
  'a transfer goes to nobody': `${HEAD}certificates:\n  transfers:\n    t: { contract: d, token: '1', from: a } # HERE\n`,
};

/** The lines that say `# HERE`, from 1. */
export function guiltyLines(text: string): readonly number[] {
  return text.split('\n').flatMap((line, index) => (line.endsWith('# HERE') ? [index + 1] : []));
}
