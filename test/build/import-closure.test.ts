import { describe, expect, it } from 'vitest';
import { openRegistry } from '../support/package-registry.js';
import { packagesOf, reached } from './reached.js';

const empty = 'library Empty {}';

/** The dependencies of a package that names each thing that is no package of the registry. */
const ELSEWHERE = {
  git: 'git+http://127.0.0.1:1/run.git',
  ssh: 'git+ssh://git@example.com/a/b.git',
  github: 'github:someone/something',
  short: 'someone/something',
  file: 'file:/etc/passwd',
  up: 'file:../../..',
  folder: '/etc',
  link: 'link:../..',
  tarball: 'http://127.0.0.1:1/a.tgz',
  workspace: 'workspace:*',
  portal: 'portal:/etc',
  npmfile: 'npm:x@file:/etc/passwd',
};

describe('what imports reach', () => {
  it('is read from the packages that are named, and nothing else is fetched', async () => {
    const registry = await openRegistry(
      { name: '@a/used', files: { 'A.sol': 'import "./lib/B.sol";', 'lib/B.sol': empty } },
      { name: 'unused' },
    );
    const packages = await packagesOf({ url: registry.url });
    const found = await reached(packages, ['@a/used/A.sol'], ['@a/used@1.0.0', 'unused@1.0.0']);
    expect(Object.keys(found.files).sort()).toEqual(['@a/used/A.sol', '@a/used/lib/B.sol']);
    expect([found.missing, found.remappings]).toEqual([{}, []]);
    expect(registry.tarballs()).toEqual(['@a/used']);
  });

  it('may be what packages depend on, as dependency, peer or option, each as it asks for', async () => {
    const registry = await openRegistry(
      {
        name: 'top',
        files: {
          'T.sol': 'import "dep/D.sol"; import "peer/P.sol"; import "maybe/M.sol"; import "dev/X.sol";',
        },
        manifest: {
          dependencies: { dep: '^1.0.0' },
          peerDependencies: { peer: '>=1 <3' },
          optionalDependencies: { maybe: 'latest' },
          devDependencies: { dev: '1.0.0' },
        },
      },
      { name: 'dep', version: '1.2.0', files: { 'D.sol': empty } },
      { name: 'dep', version: '2.0.0' },
      { name: 'peer', version: '2.5.0', files: { 'P.sol': empty } },
      { name: 'maybe', files: { 'M.sol': empty } },
      { name: 'dev', files: { 'X.sol': empty } },
    );
    const found = await reached(await packagesOf({ url: registry.url }), ['top/T.sol'], ['top']);
    expect(found.packages.map(({ name, version }) => `${name}@${version}`)).toEqual([
      'dep@1.2.0',
      'maybe@1.0.0',
      'peer@2.5.0',
      'top@1.0.0',
    ]);
    expect(Object.keys(found.missing)).toEqual(['dev/X.sol']);
  });

  it('is refused where it lies in Git, at an address, in a file or a folder, and only where it is reached', async () => {
    const imports = Object.keys(ELSEWHERE).map((name) => `import "${name}/X.sol";`);
    const registry = await openRegistry({
      name: 'top',
      manifest: { dependencies: ELSEWHERE },
      files: { 'Good.sol': empty, 'Bad.sol': imports.join('\n') },
    });
    const packages = await packagesOf({ url: registry.url });
    expect((await reached(packages, ['top/Good.sol'], ['top@1.0.0'])).missing).toEqual({});
    const { missing, files } = await reached(packages, ['top/Bad.sol'], ['top@1.0.0']);
    expect(Object.keys(files)).toEqual(['top/Bad.sol']);
    expect(Object.keys(missing)).toHaveLength(imports.length);
    for (const reason of Object.values(missing)) {
      expect(reason).toMatch(/only packages of the registry are used.*needed by top@1\.0\.0/);
      expect(reason).not.toContain('root:');
    }
    expect(registry.tarballs()).toEqual(['top']);
  });

  it.each([
    'git+ssh://x',
    'x@file:/etc',
    'x@npm:y@1',
    '/etc/passwd',
    'http://127.0.0.1/x.tgz',
    '../x',
    'A b',
  ])('is not begun when packages[] names %j', async (spec) => {
    const registry = await openRegistry();
    const packages = await packagesOf({ url: registry.url });
    await expect(reached(packages, ['x/X.sol'], [spec])).rejects.toMatchObject({ kind: 'refused' });
    expect(registry.asked).toEqual([]);
  });

  it('may have an alias of a package, under whose name it is imported', async () => {
    const registry = await openRegistry(
      {
        name: 'top',
        manifest: { dependencies: { old: 'npm:lib@^1.0.0' } },
        files: { 'T.sol': 'import "old/L.sol";' },
      },
      { name: 'lib', version: '1.1.0', files: { 'L.sol': 'import "lib/M.sol";', 'M.sol': empty } },
      { name: 'lib', version: '2.0.0' },
    );
    const found = await reached(await packagesOf({ url: registry.url }), ['top/T.sol'], ['top@1.0.0']);
    expect(Object.keys(found.files).sort()).toEqual(['old/L.sol', 'old/M.sol', 'top/T.sol']);
    expect(found.remappings).toEqual(['old/:lib/=old/']);
  });

  it('shows each package its own version where two are needed', async () => {
    const registry = await openRegistry(
      { name: 'a', manifest: { dependencies: { lib: '1.x' } }, files: { 'A.sol': 'import "lib/L.sol";' } },
      { name: 'b', manifest: { dependencies: { lib: '2.x' } }, files: { 'B.sol': 'import "lib/L.sol";' } },
      { name: 'lib', version: '1.0.0', files: { 'L.sol': 'library One {}' } },
      { name: 'lib', version: '2.0.0', files: { 'L.sol': 'library Two {}' } },
    );
    const packages = await packagesOf({ url: registry.url });
    const found = await reached(packages, ['a/A.sol', 'b/B.sol'], ['a@1.0.0', 'b@1.0.0']);
    expect(found.files).toMatchObject({
      'lib/L.sol': 'library One {}',
      'b/node_modules/lib/L.sol': 'library Two {}',
    });
    expect(found.remappings).toEqual(['b/:lib/=b/node_modules/lib/']);
    // What the upload names lies at the top, whoever is reached first.
    const listed = await reached(packages, ['a/A.sol'], ['a@1.0.0', 'lib@2.0.0']);
    expect(listed.remappings).toEqual(['a/:lib/=a/node_modules/lib/']);
  });

  it('ends with packages that need one another, and with chains that do not end', async () => {
    const chain = Array.from({ length: 30 }, (_, index) => ({
      name: `c${String(index)}`,
      manifest: { dependencies: { [`c${String(index + 1)}`]: '1.0.0' } },
      files: { 'C.sol': `import "c${String(index + 1)}/C.sol";` },
    }));
    const registry = await openRegistry(
      { name: 'x', manifest: { dependencies: { y: '*' } }, files: { 'X.sol': 'import "y/Y.sol";' } },
      { name: 'y', manifest: { dependencies: { x: '*' } }, files: { 'Y.sol': 'import "x/X.sol";' } },
      ...chain,
    );
    const packages = await packagesOf({ url: registry.url });
    const round = await reached(packages, ['x/X.sol'], ['x@1.0.0']);
    expect(Object.keys(round.files).sort()).toEqual(['x/X.sol', 'y/Y.sol']);
    const long = await reached(packages, ['c0/C.sol'], ['c0@1.0.0']);
    expect(Object.values(long.missing).join()).toMatch(/more than a chain of 12 packages/);
    expect(registry.tarballs()).toHaveLength(2 + 12);
  });

  it('is held in bounded memory, however much packages hold that no import names', async () => {
    const large = 'x'.repeat(40 * 1024 * 1024);
    const names = ['p', 'q', 'r', 's'];
    const registry = await openRegistry(
      ...names.map((name, index) => ({
        name,
        manifest: { dependencies: { [names[index + 1] ?? 'p']: '1.0.0' } },
        files: { 'P.sol': `import "${names[index + 1] ?? 'p'}/P.sol";`, 'large.sol': large },
      })),
    );
    const found = await reached(await packagesOf({ url: registry.url }), ['p/P.sol'], ['p@1.0.0']);
    expect(Object.values(found.missing).join()).toMatch(
      /too large together.*needed by p@1\.0\.0 → q@1\.0\.0/,
    );
    expect(found.packages.map(({ name }) => name)).toEqual(['p', 'q']);
  });

  it('is never a path out of a package, nor anything but Solidity', async () => {
    const registry = await openRegistry({
      name: 'top',
      files: { 'T.sol': 'import "../../etc/passwd"; import "./T.js";', 'T.js': 'secret', 'x.json': '{}' },
    });
    const packages = await packagesOf({ url: registry.url });
    const paths = [
      'top/../../etc/passwd',
      '/etc/passwd',
      'top/x.json',
      'top/package.json',
      'file:///etc/hosts',
    ];
    const found = await reached(packages, ['top/T.sol', ...paths], ['top@1.0.0']);
    expect(Object.keys(found.files)).toEqual(['top/T.sol']);
    expect(Object.keys(found.missing).length).toBeGreaterThanOrEqual(paths.length);
    expect(JSON.stringify(found.missing)).not.toContain('secret');
  });

  it('is what the operator allows, also of dependencies', async () => {
    const registry = await openRegistry(
      {
        name: '@fine/a',
        manifest: { dependencies: { other: '1.0.0' } },
        files: { 'A.sol': 'import "other/O.sol";' },
      },
      { name: 'other', files: { 'O.sol': empty } },
    );
    const packages = await packagesOf({ url: registry.url, allow: ['@fine/*'] });
    const found = await reached(packages, ['@fine/a/A.sol', 'other/O.sol'], ['@fine/a@1.0.0', 'other@1.0.0']);
    expect(Object.keys(found.files)).toEqual(['@fine/a/A.sol']);
    expect(found.missing['other/O.sol']).toContain('does not allow');
    expect(registry.tarballs()).toEqual(['@fine/a']);
  });
});
