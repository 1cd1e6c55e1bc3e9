import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_BODIES, openSpool, type CallbackSpool } from '../../src/disk/callback-spool.js';
import { digestOfBytes } from '../../src/model/canonical.js';
import { faultyDisk, systemError } from './faulty-disk.js';
import { temporaryFolder } from './temporary-folder.js';

const ALICE = digestOfBytes('alice');
const BOB = digestOfBytes('bob');

async function drained(spool: CallbackSpool): Promise<readonly string[]> {
  const bodies: string[] = [];
  await spool.drain(async ({ token, body }) => {
    bodies.push(`${token === ALICE ? 'alice' : 'bob'} ${Buffer.from(body).toString()}`);
    return true;
  });
  return bodies;
}

describe('the spool of callbacks', () => {
  it('hands every body over once, byte for byte, in order of arrival within an attempt', async () => {
    const folder = join(temporaryFolder(), 'spool');
    const listener = await openSpool(folder);
    const bodies = ['zzz', 'aaa', '{"status":"success","status":"failed"}', '\u0000'];
    for (const body of bodies) {
      expect(await listener.keep(ALICE, Buffer.from(body))).toBe('kept');
      await listener.keep(BOB, Buffer.from(body));
    }
    const run = await openSpool(folder);
    const found = await drained(run);
    expect(found.filter((body) => body.startsWith('alice'))).toEqual(bodies.map((body) => `alice ${body}`));
    expect(found).toHaveLength(2 * bodies.length);
    expect(await drained(run)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is private, and names no token', async () => {
    const folder = join(temporaryFolder(), 'spool');
    await (await openSpool(folder)).keep(ALICE, Buffer.from('x'));
    const [name = ''] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('keeps a repeated body once and sixteen bodies for one attempt, however they arrive', async () => {
    const spool = await openSpool(join(temporaryFolder(), 'spool'));
    const bodies = Array.from({ length: 40 }, (_, index) => Buffer.from(`body ${index % 20}`));
    const kept = await Promise.all(bodies.map((body) => spool.keep(ALICE, body)));
    expect(kept.filter((outcome) => outcome === 'kept')).toHaveLength(MAX_BODIES);
    expect(kept.filter((outcome) => outcome === 'repeated')).toHaveLength(MAX_BODIES);
    expect(kept.filter((outcome) => outcome === 'full')).toHaveLength(8);
    expect(await spool.keep(BOB, Buffer.from('body 0'))).toBe('kept');
    expect(await drained(spool)).toHaveLength(MAX_BODIES + 1);
  });

  it('keeps what the run declines or fails to record', async () => {
    const spool = await openSpool(join(temporaryFolder(), 'spool'));
    await spool.keep(ALICE, Buffer.from('x'));
    await spool.drain(async () => false);
    await expect(spool.drain(() => Promise.reject(new Error('journal')))).rejects.toThrow('journal');
    expect(await drained(spool)).toEqual(['alice x']);
  });

  it('does not say `kept` of what the disk did not take, and goes on afterwards', async () => {
    const folder = join(temporaryFolder(), 'spool');
    let failing = true;
    const write = (sizeBytes: number): number => {
      if (failing) throw systemError('ENOSPC');
      return sizeBytes;
    };
    const spool = await openSpool(folder, faultyDisk({ write }));
    await expect(spool.keep(ALICE, Buffer.from('x'))).rejects.toMatchObject({ code: 'STATE_WRITE' });
    failing = false;
    expect(await spool.keep(ALICE, Buffer.from('x'))).toBe('kept');
  });

  it('overlooks files that are not its own', async () => {
    const folder = join(temporaryFolder(), 'spool');
    const spool = await openSpool(folder);
    writeFileSync(join(folder, '.half.tmp'), 'torn');
    writeFileSync(join(folder, 'README'), 'mine');
    expect(await drained(spool)).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(2);
  });
});
