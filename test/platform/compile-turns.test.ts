import { describe, expect, it, onTestFinished } from 'vitest';
import type { PlatformOptions } from '../../src/platform/platform.js';
import { clientOf, textAt } from './client.js';
import { openReleases, releasesOf } from './releases.js';

/** Much to compile, from little text. */
const heavy = (name: string): string =>
  `pragma solidity ^0.8.0; contract ${name} { uint256 s; ${Array.from(
    { length: 300 },
    (_, n) =>
      `function f${String(n)}(uint256 a) public { for (uint i; i < a; i++) { s += a * ${String(n)} + i; } }`,
  ).join(' ')} }`;
const light = (name: string): string =>
  `pragma solidity ^0.8.0; contract ${name} { uint256 public n = 1${Math.random().toFixed(12).slice(2)}; }`;

/** A platform with two organisations. */
async function open(options: Partial<PlatformOptions>) {
  const releases = await openReleases(options);
  onTestFinished(() => releases.close());
  const { strangerKey: key, platform } = releases;
  const theirs = releasesOf(platform.apiUrl, key, clientOf(platform.apiUrl, key));
  const submitter = async (tools: typeof theirs) => {
    const project = await tools.project('Turns');
    const submit = (sources: Readonly<Record<string, string>>, version: string) =>
      tools.submit(`/api/contract/projects/${project}/versions`, { version, sources });
    return {
      submit,
      settled: (slug: string) => tools.settled(project, slug),
      detail: (slug: string) => tools.detail(project, slug),
    };
  };
  return { ours: await submitter(releases), theirs: await submitter(theirs) };
}

describe('the compiler of a platform with several organisations', { timeout: 240_000 }, () => {
  it('compiles one’s light version while many heavy ones of another wait', async () => {
    const { ours, theirs } = await open({ compileWorkers: 1 });
    const slugs = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const source = heavy(`H${String(n)}${String(Math.random()).slice(2)}`);
        const { body } = await theirs.submit({ 'H.sol': source }, `1.0.${String(n)}`);
        return textAt(body, 'result.slug');
      }),
    );
    const waiting = async (): Promise<number> => {
      const states = await Promise.all(slugs.map(async (slug) => (await theirs.detail(slug))['status']));
      return states.filter((state) => state === 'compile_queued').length;
    };
    const { body } = await ours.submit({ 'L.sol': light('L') }, '1.0.0');
    const before = await waiting();
    expect(before).toBeGreaterThan(2);
    expect(await ours.settled(textAt(body, 'result.slug'))).toMatchObject({ status: 'compiled' });
    // The one at work when ours came, and one that begins while the last answer is on its way.
    expect(before - (await waiting())).toBeLessThanOrEqual(2);
  });

  it('takes no more waiting versions of one than may wait, and those of another all the same', async () => {
    const { ours, theirs } = await open({ compileWorkers: 1, versions: { waiting: 2 } });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1)
      statuses.push(
        (
          await theirs.submit(
            { 'H.sol': heavy(`W${String(n)}${String(Math.random()).slice(2)}`) },
            `1.0.${String(n)}`,
          )
        ).status,
      );
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses).toContain(429);
    expect((await ours.submit({ 'L.sol': light('L') }, '1.0.0')).status).toBe(200);
  });

  it('takes no version with more sources, or larger ones, than it may have', async () => {
    const { ours } = await open({ versions: { sources: 2, sourceBytes: 2000 } });
    const three = { 'A.sol': light('A'), 'B.sol': light('B'), 'C.sol': light('C') };
    expect(await ours.submit(three, '1.0.0')).toMatchObject({ status: 422 });
    expect(await ours.submit({ 'A.sol': `${light('A')}//${'x'.repeat(2000)}` }, '1.0.1')).toMatchObject({
      status: 422,
    });
    expect(await ours.submit({ 'A.sol': light('A') }, '1.0.2')).toMatchObject({ status: 200 });
  });
});
