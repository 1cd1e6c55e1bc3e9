import { describe, expect, test } from 'vitest';
import {
  forbiddenAddress,
  forbiddenVariable,
  isLoopback,
  permissionsOf,
  type Permissions,
} from '../../src/model/permissions.js';

const usual = permissionsOf({});

describe('a variable', () => {
  test('may be read when its name begins with WINDLASS_VAR_, or when the operator lists it', () => {
    const listing = permissionsOf({ WINDLASS_ALLOW_ENV: ' TEAM_ID,,TEAM_SECRET ' });
    expect(forbiddenVariable('WINDLASS_VAR_X', usual)).toBeUndefined();
    expect(forbiddenVariable('TEAM_ID', usual)).toBeDefined();
    expect(['TEAM_ID', 'TEAM_SECRET'].map((name) => forbiddenVariable(name, listing))).toEqual([
      undefined,
      undefined,
    ]);
  });

  test.each(['WINDLASS_PLATFORM_KEK', 'WINDLASS_ALLOW_ENV', 'WINDLASS_REGISTRY_TOKEN', 'NODE_ENV', 'Path'])(
    'that Windlass itself uses is never read, even when it is listed: %s',
    (name) => {
      expect(forbiddenVariable(name, permissionsOf({ WINDLASS_ALLOW_ENV: name }))).toBeDefined();
    },
  );
});

describe('an address', () => {
  const refused = (url: string, permissions: Permissions = usual): boolean =>
    forbiddenAddress(url, 'base_url', permissions) !== undefined;

  test.each([
    'http://service.example.com',
    'http://10.0.0.5:8080',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://[::ffff:10.0.0.5]',
    'https://user@service.example.com',
    'https://:pw@service.example.com',
    'https://service.example.com?x=1',
    'https://service.example.com#x',
    'https://service.example.com\\@evil.example.com',
    'https://service.exa\tmple.com',
    'https://',
    'ftp://service.example.com',
  ])('is refused: %j', (url) => {
    expect(refused(url)).toBe(true);
  });

  test.each([
    'https://service.example.com/api/v1',
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://[::1]:8080/a',
    'http://0x7f.1:80',
  ])('is taken: %s', (url) => {
    expect(refused(url)).toBe(false);
  });

  test('may be plain http where the operator lists the host, with its port or for all ports', () => {
    const allowed = permissionsOf({
      WINDLASS_ALLOW_HTTP: 'Service.Test, 10.0.0.5:8080, [fd00::1], old.test:80',
    });
    for (const url of [
      'http://service.test:99',
      'http://10.0.0.5:8080',
      'http://[fd00::1]',
      'http://old.test',
    ]) {
      expect(refused(url, allowed), url).toBe(false);
    }
    for (const url of ['http://10.0.0.5', 'http://x.service.test', 'http://old.test:81']) {
      expect(refused(url, allowed), url).toBe(true);
    }
  });

  test('has to be of a listed origin, or of this machine, where the operator lists origins', () => {
    const allowed = permissionsOf({
      WINDLASS_ALLOW_ORIGIN: 'https://Service.example.com/,https://b.example:8443',
    });
    for (const url of ['https://service.example.com/api', 'https://b.example:8443', 'http://127.0.0.1:1']) {
      expect(refused(url, allowed), url).toBe(false);
    }
    for (const url of ['https://service.example.com:444', 'https://b.example', 'https://evil.example']) {
      expect(refused(url, allowed), url).toBe(true);
    }
    expect(forbiddenAddress('https://evil.example/?key=1', 'rpc_url', allowed)).toBeDefined();
    expect(forbiddenAddress('https://b.example:8443/?key=1', 'rpc_url', allowed)).toBeUndefined();
  });
});

test.each([
  { WINDLASS_ALLOW_ENV: 'AWS_*' },
  { WINDLASS_ALLOW_HTTP: 'http://service.test' },
  { WINDLASS_ALLOW_HTTP: 'a@b' },
  { WINDLASS_ALLOW_ORIGIN: 'service.example.com' },
  { WINDLASS_ALLOW_ORIGIN: 'https://service.example.com/api' },
])('what cannot be meant is told, not passed over: %j', (env) => {
  expect(() => permissionsOf(env)).toThrow(expect.objectContaining({ code: 'CLI_USAGE' }) as Error);
});

test('only names and addresses of this machine are loopback', () => {
  expect(['localhost', '127.0.0.1', '127.9.9.9', '[::1]', '::1'].every(isLoopback)).toBe(true);
  expect(['localhost.', 'a.localhost', '0.0.0.0', '128.0.0.1', '[::]'].some(isLoopback)).toBe(false);
});
