import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { vulnerabilitiesIn } from '../../src/platform/analysis/report.js';
import { analyse, findSlither } from '../../src/platform/analysis/slither.js';
import { textAt } from './client.js';
import { openReleases, type Releases } from './releases.js';

const RECORDED = fileURLToPath(new URL('../fixtures/slither-report.json', import.meta.url));

const BANK = {
  'Bank.sol': `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Bank {
    mapping(address => uint256) owed;
    function put() external payable { owed[msg.sender] += msg.value; }
    function withdraw() external {
        (bool ok, ) = msg.sender.call{value: owed[msg.sender]}("");
        require(ok);
        owed[msg.sender] = 0;
    }
}
`,
};

/** Does what Slither does, but for the thinking: asks its compiler, and writes a report that was recorded. */
const FAKE = `#!/bin/sh
set -e
[ "$1" = input.json ] && [ "$3" = solc-json ] && [ "$4" = --solc ] && [ "$6" = --json ]
"$5" --version | grep -q 'Version: 0\\.8\\.'
echo '{}' | "$5" --standard-json --allow-paths . > asked.json
grep -q '"ast"' asked.json && grep -q '"sourceMap"' asked.json && [ -f Bank.sol ]
[ -z "$SECRET_OF_THE_PLATFORM" ]
sed "s#{FOLDER}#$(pwd)#" '${RECORDED}' > "$7"
exit 255
`;

let folder: string;
let releases: Releases | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'analyser-'));
});

afterEach(async () => {
  await releases?.close();
  releases = undefined;
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function install(script: string): Promise<string> {
  const file = join(folder, 'slither');
  await writeFile(file, script);
  await chmod(file, 0o755);
  return file;
}

/** A platform whose `PATH` has that analyser, and its version of the bank. */
async function bankWith(script: string | undefined) {
  if (script !== undefined) await install(script);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
  vi.stubEnv('SECRET_OF_THE_PLATFORM', 'sk_secret');
  releases = await openReleases();
  const { project, slug } = await releases.compiled('Bank', { sources: BANK });
  return { detail: () => releases!.detail(project, slug), releases, project, slug };
}

describe('a version on a platform with Slither on its PATH', { timeout: 60_000 }, () => {
  it('has the report, without paths of the machine, and the number of vulnerabilities of its own files', async () => {
    const { detail, project, slug } = await bankWith(FAKE);
    await expect.poll(detail, { timeout: 30_000 }).toMatchObject({ status: 'compiled', vulnerabilities: 2 });
    const shown = await detail();
    const served = await fetch(textAt(shown, 'slither_file'));
    expect(served.headers.get('content-type')).toBe('application/json');
    const text = await served.text();
    expect(text).not.toContain(tmpdir());
    expect(JSON.parse(text)).toMatchObject({
      success: true,
      results: {
        detectors: [
          { check: 'reentrancy-eth', elements: [{ source_mapping: { filename_absolute: 'Bank.sol' } }, {}] },
          {},
          {},
          {},
        ],
      },
    });
    // Another submission has another report, and none until then.
    const again = await releases!.submit(`/api/contract/projects/${project}/versions/${slug}`, {
      sources: BANK,
    });
    expect((again.body as JsonObject)['result']).toMatchObject({ slither_file: null, vulnerabilities: null });
    await expect.poll(detail, { timeout: 30_000 }).toMatchObject({ vulnerabilities: 2 });
  });

  it('is compiled as ever when Slither fails', async () => {
    const ran = join(folder, 'ran');
    const { detail } = await bankWith(
      `#!/bin/sh\ntouch '${ran}'\necho '{"success": false, "error": "no", "results": {}}' > "$7"\n`,
    );
    const hasRun = async () =>
      readFile(ran).then(
        () => true,
        () => false,
      );
    await expect.poll(hasRun, { timeout: 30_000 }).toBe(true);
    expect(await detail()).toMatchObject({ status: 'compiled', slither_file: null, vulnerabilities: null });
  });

  it('is compiled as ever where there is none', async () => {
    const none = (process.env['PATH'] ?? '').split(':').filter((place) => findSlither(place) === undefined);
    vi.stubEnv('PATH', none.join(':'));
    for (const path of [none.join(':'), undefined, '', 'relative', folder])
      expect([path, findSlither(path)]).toEqual([path, undefined]);
    const { detail } = await bankWith(undefined);
    expect(await detail()).toMatchObject({ status: 'compiled', slither_file: null, vulnerabilities: null });
  });
});

describe('an analysis', { timeout: 60_000 }, () => {
  const subject = {
    sources: [{ filename: 'Bank.sol', content: BANK['Bank.sol'] }],
    files: {},
    compiler: '0.8.37',
    output: '{}',
  };

  it('that takes too long, or is told to end, is ended with all that it started', async () => {
    const beat = join(folder, 'beat');
    const slither = await install(
      `#!/bin/sh\n(while true; do echo x >> '${beat}'; sleep 0.02; done) &\nwait\n`,
    );
    expect(await analyse(slither, subject, { time: 1500 })).toBeUndefined();
    const beats = async () => (await readFile(beat, 'utf8')).length;
    const after = await beats();
    expect(after).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await beats()).toBe(after);
    const leaving = new AbortController();
    leaving.abort();
    expect(await analyse(slither, subject, { signal: leaving.signal })).toBeUndefined();
  });

  it('that ends without a report, or cannot begin, has none', async () => {
    expect(await analyse(await install('#!/bin/sh\nexit 1\n'), subject)).toBeUndefined();
    expect(await analyse(join(folder, 'absent'), subject)).toBeUndefined();
  });

  it('gets no more memory than it may take', async () => {
    const report = `#!/bin/sh\nulimit -v > "$7"\n`;
    expect((await analyse(await install(report), subject, { memory: 64 }))?.trim()).toBe('65536');
  });
});

describe('a report', () => {
  it('counts what is high, medium or low and of the uploaded files, or of no file', async () => {
    const text = await readFile(RECORDED, 'utf8');
    expect(vulnerabilitiesIn(text, ['Bank.sol'])).toBe(2);
    expect(vulnerabilitiesIn(text, ['Other.sol'])).toBe(1);
    expect(vulnerabilitiesIn('{"success":true,"error":null,"results":{}}', [])).toBe(0);
    for (const none of ['', '[]', 'null', '{"success":false}', '{"success":true,"results":{"detectors":{}}}'])
      expect([none, vulnerabilitiesIn(none, [])]).toEqual([none, undefined]);
  });
});
