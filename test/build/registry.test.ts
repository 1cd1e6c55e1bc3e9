import { spawn } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PUBLIC_REGISTRY } from '../../src/build/registry-options.js';
import { integrityOf, openRegistry, tarballOf } from '../support/package-registry.js';
import { aFolder, packagesOf, reached } from './reached.js';

const X = { name: 'x', files: { 'X.sol': 'library X {}' } };

/** Another place on this machine, which must not be asked for anything. */
async function openInner(answer: RequestListener = (_, response) => response.end('inner secret')) {
  const asked: { url: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`, asked };
}

describe('a registry', () => {
  it('is not followed to another place: neither by the address of a tarball nor by a redirect', async () => {
    const inner = await openInner();
    const registry = await openRegistry(
      { ...X, dist: { tarball: `${inner.url}x/-/x-1.0.0.tgz` } },
      {
        ...X,
        name: 'y',
        answer: (_, response) => void response.writeHead(302, { location: inner.url }).end(),
      },
      { ...X, name: 'z', dist: { tarball: 'file:///etc/passwd' } },
    );
    const packages = await packagesOf({ url: registry.url, token: 'secret-token' });
    for (const name of ['x', 'y', 'z']) {
      const { missing } = await reached(packages, [`${name}/X.sol`], [`${name}@1.0.0`]);
      expect(missing[`${name}/X.sol`]).toMatch(/another place/);
      expect(missing[`${name}/X.sol`]).not.toMatch(/127\.0\.0\.1|passwd|secret/);
    }
    expect(inner.asked).toEqual([]);
  });

  it('may keep tarballs where its operator says, and its token does not go there', async () => {
    const inner = await openInner((_, response) => response.end(tarballOf(X)));
    const registry = await openRegistry({ ...X, dist: { tarball: `${inner.url}x.tgz` } });
    const options = { url: registry.url, token: 'secret-token', tarballOrigins: [inner.url] };
    const found = await reached(await packagesOf(options), ['x/X.sol'], ['x@1.0.0']);
    expect(Object.keys(found.files)).toEqual(['x/X.sol']);
    expect(inner.asked).toEqual([{ url: '/x.tgz', authorization: undefined }]);
    expect(registry.asked).toEqual([{ path: '/x', authorization: 'Bearer secret-token' }]);
  });

  it('that mirrors the public one is asked for what lies there', async () => {
    const registry = await openRegistry({
      ...X,
      dist: { tarball: `${PUBLIC_REGISTRY}x/-/x-1.0.0.tgz` },
    });
    const found = await reached(await packagesOf({ url: registry.url }), ['x/X.sol'], ['x@1.0.0']);
    expect(Object.keys(found.files)).toEqual(['x/X.sol']);
  });

  it('is believed by the SHA-512 that it names, and by no tarball without one', async () => {
    const registry = await openRegistry(
      { ...X, dist: { integrity: integrityOf(Buffer.from('other')) } },
      { ...X, name: 'y', dist: { integrity: undefined } },
      { ...X, name: 'z', dist: { integrity: 'sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00=' } },
    );
    const packages = await packagesOf({ url: registry.url });
    for (const name of ['x', 'y', 'z'])
      await expect(reached(packages, [`${name}/X.sol`], [`${name}@1.0.0`])).rejects.toMatchObject({
        kind: 'broken',
        message: expect.stringContaining('SHA-512') as string,
      });
  });

  it('that changes a version that was pinned is not believed', async () => {
    const cache = await aFolder();
    const registry = await openRegistry(X);
    const before = await packagesOf({ url: registry.url }, { cache });
    const { packages: pinned } = await reached(before, ['x/X.sol'], ['x@1.0.0']);
    registry.publish({ ...X, files: { 'X.sol': 'library Changed {}' } });
    const pin = { name: 'x', version: '1.0.0', integrity: pinned[0]?.integrity ?? '' };
    const elsewhere = await packagesOf({ url: registry.url });
    await expect(elsewhere.tarball(pin, new AbortController().signal)).rejects.toThrow(
      /another one than was pinned/,
    );
    const again = await packagesOf({ url: registry.url }, { cache });
    expect((await reached(again, ['x/X.sol'], ['x@1.0.0'])).files['x/X.sol']).toBe('library X {}');
  });

  it('that answers with more than it may is cut off, packed or not', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
    const answers: readonly RequestListener[] = [
      (_, response) => response.setHeader('content-encoding', 'gzip').end(bomb),
      (_, response) => endless(response),
    ];
    for (const answer of answers) {
      const inner = await openInner(answer);
      const packages = await packagesOf({ url: inner.url });
      await expect(reached(packages, ['x/X.sol'], ['x@1.0.0'])).rejects.toMatchObject({
        kind: 'broken',
        message: expect.stringContaining('larger than 6 MiB') as string,
      });
    }
  });

  it('that does not answer, or only trickles, is given up in time and named as what is at fault', async () => {
    const times = { reachMs: 600, answerMs: 1200 };
    const silent = await openInner(() => undefined);
    const trickling = await openInner((_, response) => {
      const timer = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(timer));
    });
    for (const url of ['http://127.0.0.1:1/', silent.url, trickling.url]) {
      const packages = await packagesOf({ url }, { times });
      await expect(reached(packages, ['x/X.sol'], ['x@1.0.0'])).rejects.toMatchObject({
        kind: 'unreachable',
      });
    }
    expect(silent.asked.length).toBeLessThanOrEqual(2);
  });

  it('is asked no more once its reader stops, who then knows nothing of the package', async () => {
    const silent = await openInner(() => undefined);
    const packages = await packagesOf({ url: silent.url });
    const stop = new AbortController();
    const asking = reached(packages, ['x/X.sol'], ['x@1.0.0'], stop.signal);
    await expect.poll(() => silent.asked.length).toBe(1);
    stop.abort();
    await expect(asking).rejects.toMatchObject({ name: 'FetchInterrupted' });
    expect(silent.asked).toHaveLength(1);
  });

  it.each(['ftp://x', 'https://user:pass@example.com/', 'no address', 'https://example.com/?a=b'])(
    'cannot be %s',
    async (url) => {
      const opening = packagesOf({ url });
      await expect(opening).rejects.toThrow(/package registry/);
      await expect(opening).rejects.not.toThrow(/user|pass/);
    },
  );

  it('is asked without anything of npm’s configuration, of the home folder or of the environment', async () => {
    const inner = await openInner();
    const registry = await openRegistry({ ...X, name: '@private/x' });
    const home = await aFolder();
    const npmrc = `//${new URL(registry.url).host}/:_authToken=npmrc-token\n@private:registry=${inner.url}\n`;
    await writeFile(join(home, '.npmrc'), npmrc);
    const script = `
      import { Packages } from ${JSON.stringify(new URL('../../dist/build/packages.js', import.meta.url).href)};
      import { importClosure } from ${JSON.stringify(new URL('../../dist/build/import-closure.js', import.meta.url).href)};
      const packages = new Packages(process.argv[2], { url: ${JSON.stringify(registry.url)} });
      const sources = [{ filename: 'M.sol', content: 'import "@private/x/X.sol";' }];
      const about = { set: 'x', signal: new AbortController().signal };
      const found = await importClosure(packages, sources, ['@private/x@1.0.0'], about);
      process.stdout.write(Object.keys(found.files).join());
      await packages.close();`;
    await writeFile(join(home, 'fetch.mjs'), script);
    const env = {
      HOME: home,
      USERPROFILE: home,
      PATH: process.env['PATH'],
      npm_config_registry: inner.url,
      NPM_CONFIG_USERCONFIG: join(home, '.npmrc'),
      HTTP_PROXY: inner.url,
      http_proxy: inner.url,
      HTTPS_PROXY: inner.url,
      ALL_PROXY: inner.url,
      npm_config_proxy: inner.url,
    };
    const child = spawn(process.execPath, [join(home, 'fetch.mjs'), join(home, 'cache')], { cwd: home, env });
    let said = '';
    child.stdout.on('data', (text: Buffer) => (said += text.toString()));
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    expect(said).toBe('@private/x/X.sol');
    expect(inner.asked).toEqual([]);
    expect(registry.asked.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });
});

/** Writes until the reader goes. */
function endless(response: Parameters<RequestListener>[1]): void {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}
