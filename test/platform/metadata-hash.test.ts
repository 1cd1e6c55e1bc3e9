import { verify } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { BCRYPT_BYTES, hashMetadata } from '../../src/platform/handlers/audit/metadata-hash.js';

const COST = 4;

describe('the hash of a record’s metadata', () => {
  it('has the $2y$ prefix and the cost it was asked for, and verifies', async () => {
    const hash = await hashMetadata('{"release":"1.0.0"}', COST);
    expect(hash).toMatch(/^\$2y\$04\$[./A-Za-z0-9]{53}$/);
    expect(await verify('{"release":"1.0.0"}', hash)).toBe(true);
    expect(await verify('{"release":"1.0.1"}', hash)).toBe(false);
  });

  it('is salted: the same metadata never hashes the same', async () => {
    const hashes = await Promise.all(Array.from({ length: 12 }, () => hashMetadata('same', COST)));
    expect(new Set(hashes).size).toBe(12);
  });

  it('covers the first 72 bytes and nothing behind them', async () => {
    const head = 'x'.repeat(BCRYPT_BYTES);
    const hash = await hashMetadata(`${head} weight 240`, COST);
    expect(await verify(`${head} weight 999`, hash)).toBe(true);
    expect(await verify(`${'x'.repeat(BCRYPT_BYTES - 1)}y weight 240`, hash)).toBe(false);
  });

  it('counts bytes, not characters, as PHP does', async () => {
    const hash = await hashMetadata('é'.repeat(40), COST);
    expect(await verify('é'.repeat(36), hash)).toBe(true);
    expect(await verify('é'.repeat(35), hash)).toBe(false);
  });
});
