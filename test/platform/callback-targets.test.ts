import { createServer } from 'node:http';
import { hostname } from 'node:os';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { assert, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLoopbackAddress, isPublicAddress, networksOf } from '../../src/platform/delivery/address-rules.js';
import { isLoopback, targetsOf, type Resolve, type Targets } from '../../src/platform/delivery/target.js';
import { listAt } from './client.js';
import { openReleases } from './releases.js';

const LOOPBACK = targetsOf({ reach: 'loopback' });
const PUBLIC = targetsOf({ reach: 'public' });

/** Every way in which people have written an address that a service must not call. */
const FORBIDDEN = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://0/',
  'http://localhost:9/',
  'http://LOCALHOST./',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:7f00:1::1]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fc00::1]/',
  'http://[ff02::1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://10.0.0.1/',
  'http://012.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'file:///etc/passwd',
  'gopher://8.8.8.8/',
  'http://user:pw@8.8.8.8/',
  'nonsense',
];

describe('a callback address of a hosted platform', () => {
  it.each(FORBIDDEN)('is refused when it is %s', (url) => {
    expect(PUBLIC.fault(url)).toBeTypeOf('string');
  });

  it.each([
    'http://8.8.8.8/',
    'https://[2606:4700::1111]/x',
    'http://172.32.0.1/',
    'https://hooks.example.com/',
  ])('may be %s', (url) => {
    expect(PUBLIC.fault(url)).toBeUndefined();
  });

  it('may lie in a network that the operator names, and in no other private one', () => {
    const targets = targetsOf({ reach: 'public', allowed: ['10.1.0.0/16', 'fd12::/16'] });
    for (const url of ['http://10.1.2.3/', 'http://[fd12::9]/', 'http://[::ffff:10.1.2.3]/'])
      expect(targets.fault(url)).toBeUndefined();
    for (const url of ['http://10.2.0.1/', 'http://[fd13::9]/', 'http://127.0.0.1/'])
      expect(targets.fault(url)).toBeTypeOf('string');
    for (const wrong of ['10.0.0.0/33', 'here', '10.0.0.0/x', '::/129'])
      expect(() => networksOf([wrong])).toThrow(RangeError);
  });

  it.each([
    'http://8.8.8.8:22/',
    'https://8.8.8.8:25/',
    'http://hooks.example.com:53/',
    'http://hooks.example.com:0/',
    'http://8.8.8.8:444/',
    'https://[2606:4700::1111]:1023/',
  ])('is refused for its port when it is %s', (url) => {
    expect(PUBLIC.fault(url)).toMatch(/port/);
  });

  it.each([
    'http://8.8.8.8:80/',
    'http://8.8.8.8:443/',
    'https://8.8.8.8:1024/',
    'https://h.example.com:65535/',
  ])('may have the port of %s', (url) => {
    expect(PUBLIC.fault(url)).toBeUndefined();
  });

  it("has one of the ports that the operator names, in the operator's own networks as well", () => {
    const ports = [
      { first: 443, last: 443 },
      { first: 9000, last: 9001 },
    ];
    const targets = targetsOf({ reach: 'public', allowed: ['10.1.0.0/16'], ports });
    for (const url of ['https://8.8.8.8/', 'http://10.1.0.1:9000/', 'http://10.1.0.1:9001/'])
      expect(targets.fault(url)).toBeUndefined();
    for (const url of ['http://8.8.8.8/', 'http://10.1.0.1:9002/', 'https://8.8.8.8:8999/'])
      expect(targets.fault(url)).toMatch(/port/);
    expect(targetsOf({ reach: 'loopback', ports }).fault('http://127.0.0.1:8080/')).toMatch(/port/);
  });

  it('is judged by value, however it is written', () => {
    assert(
      property(nat({ max: 0xffff_ffff }), (value) => {
        const dotted = [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join('.');
        const hex = `::ffff:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
        expect(isPublicAddress(hex)).toBe(isPublicAddress(dotted));
        expect(isPublicAddress(`::ffff:${dotted}`)).toBe(isPublicAddress(dotted));
        expect(isPublicAddress(dotted) && isLoopbackAddress(dotted)).toBe(false);
        expect(PUBLIC.fault(`http://${String(value)}/`) === undefined).toBe(isPublicAddress(dotted));
      }),
    );
  });
});

describe('a callback address of a platform on loopback', () => {
  it.each([
    'http://10.0.0.1/',
    'http://8.8.8.8/',
    'http://localhost.example.com/',
    'http://127.0.0.1.nip.io/',
  ])('is refused when it is %s', (url) => {
    expect(LOOPBACK.fault(url)).toBeTypeOf('string');
  });

  it.each(['http://127.0.0.1:1/x', 'https://localhost/', 'http://[::1]:8080/', 'http://[::ffff:127.0.0.1]/'])(
    'may be %s',
    (url) => {
      expect(LOOPBACK.fault(url)).toBeUndefined();
    },
  );

  it('has a host name that means this machine', () => {
    expect(['localhost', '127.9.9.9', '::1', '[::1]'].every(isLoopback)).toBe(true);
    expect(['example.com', '0.0.0.0', '10.0.0.1', '::'].some(isLoopback)).toBe(false);
  });
});

describe('a host name', () => {
  const answering =
    (...addresses: readonly string[]): Resolve =>
    (_host, _options, done) => {
      const found: LookupAddress[] = addresses.map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      }));
      done(null, found);
    };
  const resolved = (targets: Targets, all: boolean): Promise<unknown> =>
    new Promise((resolve, reject) => {
      targets.lookup('hooks.example.com', { all }, (error, address) => {
        if (error) reject(error);
        else resolve(address);
      });
    });

  it.each([[['10.0.0.7']], [['8.8.8.8', '127.0.0.1']], [['2606:4700::1', '::ffff:169.254.169.254']], [[]]])(
    'that resolves to %j is not called',
    async (addresses) => {
      const targets = targetsOf({ reach: 'public' }, answering(...addresses));
      await expect(resolved(targets, true)).rejects.toMatchObject({ code: 'NO_PERMITTED_ADDRESS' });
      await expect(resolved(targets, false)).rejects.toMatchObject({ code: 'NO_PERMITTED_ADDRESS' });
    },
  );

  it('that does not exist fails as one does whose address is forbidden', async () => {
    const absent: Resolve = (_host, _options, done) => {
      done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    };
    const told = async (resolve: Resolve) =>
      resolved(targetsOf({ reach: 'public' }, resolve), true).then(
        () => 'found',
        (cause: unknown) => JSON.stringify([String(cause), (cause as NodeJS.ErrnoException).code]),
      );
    expect(await told(absent)).toBe(await told(answering('10.0.0.7')));
  });

  it('is called at the address that was judged', async () => {
    const targets = targetsOf({ reach: 'public' }, answering('8.8.8.8', '8.8.4.4'));
    expect(await resolved(targets, false)).toBe('8.8.8.8');
    expect(await resolved(targets, true)).toHaveLength(2);
  });
});

describe('a hosted platform', () => {
  it('neither accepts nor calls an address of this machine', async () => {
    const called: string[] = [];
    const server = createServer((request, response) => {
      called.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    const releases = await openReleases({ callbackTargets: { reach: 'public' } });
    const post = (callback_url: string) =>
      releases.api.post('/api/audit/contracts', {
        name: 'Trail',
        field: { encrypt_data: false },
        callback_url,
      });
    expect((await post(`http://127.0.0.1:${String(port)}/`)).status).toBe(422);
    // The machine's own name passes as a text, and is refused when it is to be called.
    expect((await post(`http://${hostname()}:${String(port)}/`)).status).toBe(200);
    const newest = async () => listAt((await releases.api.get('/_platform/callbacks')).body, 'result')[0];
    const result = { state: 'pending', last_result: 'NO_PERMITTED_ADDRESS' };
    await expect.poll(newest).toMatchObject(result);
    expect(called).toEqual([]);
    await releases.close();
    server.close();
  });
});
