import multipart from '@fastify/multipart';
import { fastify, type FastifyRequest } from 'fastify';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { digestOfBytes } from '../../src/model/canonical.js';
import { formFields } from '../../src/remote/form.js';
import { aService, aWrite } from './support.js';

/** What a real multipart parser found in one request. */
interface Parsed {
  readonly fields: readonly (readonly [string, string])[];
  readonly files: readonly { field: string; filename: string; type: string; digest: string; size: number }[];
  readonly length: string | undefined;
  readonly chunked: boolean;
}

/** A server that parses forms with busboy. */
async function aFormServer(): Promise<{ url: string; parsed: Parsed[] }> {
  const parsed: Parsed[] = [];
  const server = fastify();
  await server.register(multipart, { limits: { fileSize: 200_000_000, fields: 1000, parts: 1000 } });
  const handler = async (request: FastifyRequest): Promise<unknown> => {
    const fields: [string, string][] = [];
    const files: Parsed['files'][number][] = [];
    for await (const part of request.parts()) {
      if (part.type === 'field') fields.push([part.fieldname, String(part.value)]);
      else {
        const bytes = await part.toBuffer();
        const { fieldname: field, filename, mimetype: type } = part;
        files.push({ field, filename, type, digest: digestOfBytes(bytes), size: bytes.length });
      }
    }
    const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
    parsed.push({ fields, files, length, chunked: chunked !== undefined });
    return { message: 'Success', result: { slug: '1-v1' }, status: 200 };
  };
  server.route({ method: 'POST', url: '/*', handler });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.close());
  return { url, parsed };
}

const FILE = { path: 'a', digest: 'sha256:0', sizeBytes: 1 } as const;

test('a version is sent as the nested keys of the interface, with its files and packages', async () => {
  const { url, parsed } = await aFormServer();
  const sources = { 'A.sol': 'contract A { string s = "é"; }', 'B.sol': 'contract B {}\r\n' };
  const service = aService(url, {
    files: async (input) => Buffer.from(sources[input.path as keyof typeof sources]),
  });
  const answer = await service.write(
    aWrite({
      endpoint: 'version.create',
      params: { projectSlug: 'campus-1' },
      body: {
        version: 'v1.0.0',
        compiler_settings: {
          solidity: { version: 'v0.8.28', settings: { optimizer: { enabled: true, runs: 200 } } },
        },
        packages: ['@openzeppelin/contracts@5.0.2', 'solady'],
      },
      files: Object.keys(sources).map((path) => ({
        field: 'contract_files[]',
        filename: path,
        file: { ...FILE, path },
      })),
      takesCallback: false,
    }),
    undefined,
  );
  expect(answer.outcome).toBe('accepted');
  expect(parsed[0]?.fields).toEqual([
    ['version', 'v1.0.0'],
    ['compiler_settings[solidity][version]', 'v0.8.28'],
    ['compiler_settings[solidity][settings][optimizer][enabled]', '1'],
    ['compiler_settings[solidity][settings][optimizer][runs]', '200'],
    ['packages[]', '@openzeppelin/contracts@5.0.2'],
    ['packages[]', 'solady'],
  ]);
  expect(parsed[0]?.files.map(({ field, filename, digest }) => [field, filename, digest])).toEqual([
    ['contract_files[]', 'A.sol', digestOfBytes(sources['A.sol'])],
    ['contract_files[]', 'B.sol', digestOfBytes(sources['B.sol'])],
  ]);
});

test.each([0, 1, 999_000, 1_000_001, 20_000_000])(
  'an image of %i bytes arrives byte for byte, with its length announced',
  async (size) => {
    const { url, parsed } = await aFormServer();
    const image = Buffer.alloc(size, '\r\n--x');
    const answer = await aService(url, { files: async () => image }).write(
      aWrite({
        endpoint: 'certificate.mint-medium',
        body: { name: 'Diploma', attributes: '[{"trait":"a","value":"\\"b\\""}]' },
        files: [{ field: 'file', filename: 'a.png', file: FILE }],
      }),
      'http://127.0.0.1:1/cb/token',
    );
    expect(answer.outcome).toBe('accepted');
    expect(parsed[0]?.files).toEqual([
      { field: 'file', filename: 'a.png', type: 'image/png', digest: digestOfBytes(image), size },
    ]);
    expect(parsed[0]?.fields).toContainEqual(['callback_url', 'http://127.0.0.1:1/cb/token']);
    expect(parsed[0]?.fields).toContainEqual(['attributes', '[{"trait":"a","value":"\\"b\\""}]']);
    expect(parsed[0]?.chunked).toBe(false);
    expect(Number(parsed[0]?.length)).toBeGreaterThan(size);
  },
);

test('any text arrives as it is, and cannot add a field', async () => {
  const { url, parsed } = await aFormServer();
  const service = aService(url);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const hostile = `${text}\r\n--x\r\nContent-Disposition: form-data; name="to"\r\n\r\n0xevil`;
      const body = { name: text, description: hostile };
      const request = aWrite({ endpoint: 'certificate.mint', body, takesCallback: false });
      expect((await service.write(request, undefined)).outcome).toBe('accepted');
      expect(parsed.at(-1)?.fields).toEqual([
        ['name', text],
        ['description', hostile],
      ]);
    }),
    { numRuns: 50 },
  );
});

test('a file name cannot break out of its header', async () => {
  const { url, parsed } = await aFormServer();
  const filename = 'a"\r\nX-Evil: 1\r\n\r\n.png';
  const files = [{ field: 'file', filename, file: FILE }];
  await aService(url).write(aWrite({ endpoint: 'certificate.mint', body: {}, files }), undefined);
  expect(parsed[0]?.files).toHaveLength(1);
  expect(parsed[0]?.fields).toEqual([]);
});

test('lists of objects are numbered, null is empty, false is 0', () => {
  expect(formFields({ a: [{ b: 1 }, { b: [true, false] }], c: null, d: [], e: {}, f: 1.5 })).toEqual([
    ['a[0][b]', '1'],
    ['a[1][b][]', '1'],
    ['a[1][b][]', '0'],
    ['c', ''],
    ['f', '1.5'],
  ]);
});
