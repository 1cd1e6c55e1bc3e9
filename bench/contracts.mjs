/**
 * Compiles the platform's own contracts and writes the artifacts that stand beside their sources, so that the
 * platform starts without a compiler. `node bench/contracts.mjs [--check] [folder]`
 *
 * `--check` writes nothing and exits 1 when an artifact is not, byte for byte, what the installed solc makes of
 * its source.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import solc from 'solc';

const CONTRACTS = [
  { name: 'AuditTrail', file: 'audit-trail.artifact.ts', variable: 'AUDIT_TRAIL' },
  { name: 'Certificate', file: 'certificate.artifact.ts', variable: 'CERTIFICATE' },
];

/** No metadata hash in the bytecode: a comment may change without changing what is deployed. */
const SETTINGS = {
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
};

function compile(name, content) {
  const file = `${name}.sol`;
  const input = { language: 'Solidity', sources: { [file]: { content } }, settings: SETTINGS };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  if (output.errors) throw new Error(output.errors.map((error) => error.formattedMessage).join('\n'));
  const contract = output.contracts[file][name];
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
}

function artifactText({ name, variable }, { abi, bytecode }) {
  const entries = abi.map((entry) => `    ${JSON.stringify(entry)},\n`).join('');
  return [
    `// Written by bench/contracts.mjs from ${name}.sol with solc ${solc.version().split('+')[0]}. Do not edit.`,
    '',
    `/** ABI and creation bytecode of ${name}.sol: optimizer 200 runs, evmVersion paris, no metadata hash. */`,
    '// oxfmt-ignore',
    `export const ${variable} = {`,
    `  abi: [\n${entries}  ],`,
    `  bytecode:\n    '${bytecode}',`,
    '} as const;',
    '',
  ].join('\n');
}

const args = process.argv.slice(2);
const check = args.includes('--check');
const folder =
  args.find((arg) => !arg.startsWith('--')) ??
  fileURLToPath(new URL('../src/platform/contracts/', import.meta.url));

for (const contract of CONTRACTS) {
  const source = await readFile(join(folder, `${contract.name}.sol`), 'utf8');
  const text = artifactText(contract, compile(contract.name, source));
  const path = join(folder, contract.file);
  if (!check) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${contract.file} is not what ${contract.name}.sol compiles to\n`);
    process.exitCode = 1;
  }
}
