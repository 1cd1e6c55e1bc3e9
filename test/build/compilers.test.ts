import { describe, expect, it } from 'vitest';
import { findCompiler, knownCompilers } from '../../src/build/compilers.js';
import { integrityOf, openRegistry, tarballOf } from '../support/package-registry.js';
import { packagesOf } from './reached.js';

const solc = (version: string, code = `// ${version}`) => ({
  name: 'solc',
  version,
  files: { 'soljson.js': code },
});
const { signal } = new AbortController();

describe('a compiler', () => {
  it('is fetched by its number and proven, whatever packages the operator allows', async () => {
    const registry = await openRegistry(solc('0.8.1'), solc('0.8.2'));
    const packages = await packagesOf({ url: registry.url, allow: ['@fine/*'] });
    const compiler = await findCompiler(packages, '0.8.1', signal);
    expect(compiler.digest).toBe(integrityOf(tarballOf(solc('0.8.1'))));
    expect((await compiler.load(signal)).toString()).toBe('// 0.8.1');
    expect(await findCompiler(packages, '0.8.3', signal).catch((cause: unknown) => cause)).toMatchObject({
      kind: 'absent',
      message: 'cannot fetch solc@0.8.3: the registry has no version that fits',
    });
  });

  it('that is not what the registry says, or is no compiler, is not loaded', async () => {
    const registry = await openRegistry(
      { ...solc('0.8.1'), dist: { integrity: integrityOf(Buffer.from('x')) } },
      { name: 'solc', version: '0.8.2' },
    );
    const packages = await packagesOf({ url: registry.url });
    for (const version of ['0.8.1', '0.8.2']) {
      const compiler = await findCompiler(packages, version, signal);
      await expect(compiler.load(signal)).rejects.toMatchObject({ kind: 'broken' });
    }
  });

  it.each(['latest', '0.8', '../0.8.1', '0.8.1-nightly', ''])(
    'is none of the version %j',
    async (version) => {
      const registry = await openRegistry(solc('0.8.1'));
      const packages = await packagesOf({ url: registry.url });
      await expect(findCompiler(packages, version, signal)).rejects.toMatchObject({ kind: 'refused' });
      expect(registry.asked).toEqual([]);
    },
  );

  it('can be asked for when it is published or here, the oldest that speak JSON first', async () => {
    const registry = await openRegistry(solc('0.8.10'), solc('0.8.9'), solc('0.4.10'), solc('0.9.0-pre'));
    const known = await knownCompilers(await packagesOf({ url: registry.url }), signal);
    expect(known.slice(0, 2)).toEqual(['0.8.9', '0.8.10']);
    const dead = await packagesOf({ url: 'http://127.0.0.1:1/' }, { times: { reachMs: 500 } });
    expect(await knownCompilers(dead, signal)).toHaveLength(1);
  });
});
