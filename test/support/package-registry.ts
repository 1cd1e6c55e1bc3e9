import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** An entry of a tarball, as its author wrote it. */
export interface TarEntry {
  readonly path: string;
  readonly content?: string | Buffer;
  /** `0` file, `1` hard link, `2` symbolic link, `5` folder. */
  readonly type?: '0' | '1' | '2' | '5';
  readonly linkTo?: string;
}

/** One published version. */
export interface PublishedVersion {
  readonly name: string;
  readonly version?: string;
  /** By path below the package's folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Put into `package.json`. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Entries beside those of `files`, as they are. */
  readonly entries?: readonly TarEntry[];
  /** What the packument says of the tarball, where that is not the truth. */
  readonly dist?: { readonly integrity?: string | undefined; readonly tarball?: string };
  /** Answers instead of the tarball. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A registry that serves what a test publishes, and remembers what it was asked. */
export interface TestRegistry {
  readonly url: string;
  /** Path and `authorization` of each request. */
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[];
  publish(...versions: readonly PublishedVersion[]): void;
  /** Names of the tarballs that were asked for. */
  tarballs(): readonly string[];
}

/** Opens a registry on loopback that ends with the test. */
export async function openRegistry(...versions: readonly PublishedVersion[]): Promise<TestRegistry> {
  const published = new Map<string, PublishedVersion>();
  const asked: TestRegistry['asked'] = [];
  const publish: TestRegistry['publish'] = (...more) => {
    for (const one of more) published.set(`${one.name}@${one.version ?? '1.0.0'}`, one);
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push({ path, authorization: request.headers.authorization });
    const named = path.slice(1);
    const tarball = /^(.+)\/-\/[^/]*-(\d[^/]*)\.tgz$/.exec(named);
    if (tarball) {
      const one = published.get(`${tarball[1] ?? ''}@${tarball[2] ?? ''}`);
      if (one?.answer) return one.answer(request, response);
      if (one) return void response.end(tarballOf(one));
    }
    const all = [...published.values()].filter(({ name }) => name === named);
    if (all.length === 0) return void response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(packumentOf(named, all, `http://${request.headers.host ?? ''}`)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  publish(...versions);
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const tarballs = (): readonly string[] =>
    asked.filter(({ path }) => path.endsWith('.tgz')).map(({ path }) => path.split('/-/')[0]?.slice(1) ?? '');
  return { url, asked, publish, tarballs };
}

function packumentOf(name: string, all: readonly PublishedVersion[], origin: string): unknown {
  const versions = all.map((one) => {
    const version = one.version ?? '1.0.0';
    const base = name.split('/').at(-1) ?? name;
    const dist = {
      tarball: `${origin}/${name}/-/${base}-${version}.tgz`,
      integrity: integrityOf(tarballOf(one)),
      ...one.dist,
    };
    return [version, { name, version, ...one.manifest, dist }] as const;
  });
  return {
    name,
    'dist-tags': { latest: versions.at(-1)?.[0] },
    versions: Object.fromEntries(versions),
  };
}

/** The tarball of a version. */
export function tarballOf({
  name,
  version = '1.0.0',
  files = {},
  manifest = {},
  entries = [],
}: PublishedVersion): Buffer {
  const own = { 'package.json': JSON.stringify({ name, version, ...manifest }), ...files };
  const listed = Object.entries(own).map(([path, content]) => ({ path: `package/${path}`, content }));
  return gzipSync(Buffer.concat([...[...listed, ...entries].map(entryBytes), Buffer.alloc(1024)]));
}

export function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

function entryBytes({ path, content = '', type = '0', linkTo = '' }: TarEntry): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write(['0000644', '0000000', '0000000', ''].join('\0'), 100);
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(linkTo, 157, 100);
  header.write('ustar', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((512 - (body.length % 512)) % 512);
  return Buffer.concat([header, body, padding]);
}
