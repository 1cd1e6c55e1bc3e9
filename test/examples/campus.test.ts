import solc from 'solc';
import { getAddress } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { listFiles, readBytes, readPlanText, readRows } from './folder.js';

interface AbiEntry {
  readonly type: string;
  readonly inputs?: readonly { readonly name: string; readonly type: string }[];
}

interface CompilerOutput {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts: Record<string, Record<string, { readonly abi: readonly AbiEntry[] }>>;
}

interface CampusPlan {
  readonly wallets: Record<string, { readonly address?: string }>;
  readonly deployments: Record<string, Deployment>;
}

interface Deployment {
  readonly version: string;
  readonly contracts: Record<
    string,
    { readonly contract?: string; readonly params: Record<string, unknown> }
  >;
}

const compile = solc.compile as (input: string) => string;

/** Compiles the sources below a folder without any package, imports resolved as they are written. */
async function compileSources(folder: string): Promise<CompilerOutput> {
  const sources: Record<string, { content: string }> = {};
  for (const path of await listFiles('campus', folder)) {
    sources[path] = { content: (await readBytes('campus', path)).toString('utf8') };
  }
  const settings = { outputSelection: { '*': { '*': ['abi'] } } };
  return JSON.parse(compile(JSON.stringify({ language: 'Solidity', sources, settings }))) as CompilerOutput;
}

describe('the registry of the campus example', () => {
  let output: CompilerOutput;
  let plan: CampusPlan;

  beforeAll(async () => {
    output = await compileSources('contracts/registry');
    plan = await readPlanText('campus');
  }, 60_000);

  it('compiles without a warning', () => {
    expect(output.errors).toBeUndefined();
  });

  it('lies in folders that import one another', async () => {
    const imports = await Promise.all(
      (await listFiles('campus', 'contracts/registry')).map((path) => readBytes('campus', path)),
    );
    expect(imports.filter((text) => text.includes('from "../')).length).toBeGreaterThanOrEqual(3);
  });

  it('is given each constructor parameter under the name that the ABI has', () => {
    const abis = Object.assign({}, ...Object.values(output.contracts)) as CompilerOutput['contracts'][string];
    const deployed = Object.values(plan.deployments)
      .filter((deployment) => deployment.version.startsWith('registry@'))
      .flatMap((deployment) => Object.entries(deployment.contracts));
    expect(deployed).toHaveLength(5);
    for (const [instance, { contract = instance, params }] of deployed) {
      const names = abis[contract]?.abi.find(({ type }) => type === 'constructor')?.inputs ?? [];
      expect(Object.keys(params), contract).toEqual(names.map(({ name }) => name));
    }
  });

  it('shows a parameter of every common type', () => {
    const types = Object.values(output.contracts)
      .flatMap((file) => Object.values(file))
      .flatMap(({ abi }) => abi.find(({ type }) => type === 'constructor')?.inputs ?? [])
      .map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['address', 'address[]', 'bool', 'string', 'uint256']));
  });

  it('has a chain of addresses at least three deep that crosses from one deployment into another', () => {
    const home = new Map<string, { deployment: string; params: unknown }>();
    for (const [deployment, { contracts }] of Object.entries(plan.deployments)) {
      for (const [name, { params }] of Object.entries(contracts)) home.set(name, { deployment, params });
    }
    const chain = (name: string): string[] => {
      const named = [...JSON.stringify(home.get(name)?.params ?? {}).matchAll(/<(\w+)_ADDRESS>/g)];
      const longest = named
        .map((match) => match[1] ?? '')
        .filter((next) => home.has(next))
        .map(chain)
        .sort((a, b) => b.length - a.length)[0];
      return [name, ...(longest ?? [])];
    };
    const links = chain('TuitionTreasury');
    expect(links.length - 1).toBeGreaterThanOrEqual(3);
    expect(new Set(links.map((name) => home.get(name)?.deployment)).size).toBeGreaterThanOrEqual(2);
  });
});

describe('the class of the campus example', () => {
  let rows: readonly Record<string, string>[];

  beforeAll(async () => {
    rows = await readRows('campus', 'data/class-of-2026.csv');
  });

  it('has 25 students with a key each', () => {
    expect(new Set(rows.map((row) => row['student_id'])).size).toBe(25);
    expect(rows).toHaveLength(25);
  });

  it('names 25 different wallets with a right checksum', () => {
    const wallets = rows.map((row) => row['wallet'] ?? '');
    expect(wallets).toEqual(wallets.map((wallet) => getAddress(wallet)));
    expect(new Set(wallets).size).toBe(25);
  });

  it('leaves one diploma, the one that is transferred, with the registrar', async () => {
    const { wallets } = await readPlanText<CampusPlan>('campus');
    const held = rows.filter((row) => row['wallet'] === wallets['registrar']?.address);
    expect(held.map((row) => row['student_id'])).toEqual(['S-1001']);
  });

  it('holds what CSV readers and templates get wrong', () => {
    const cells = rows.flatMap((row) => Object.values(row));
    expect(cells.some((cell) => cell.includes(','))).toBe(true);
    expect(cells.some((cell) => cell.includes('"'))).toBe(true);
    expect(cells.some((cell) => cell.includes("'"))).toBe(true);
    expect(cells.some((cell) => /[^\p{ASCII}]/u.test(cell))).toBe(true);
    expect(cells.some((cell) => cell === '')).toBe(true);
  });
});
