import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { windlassProcess, type Ended } from '../cli/command.js';
import { pathsBelow, STORY, tellStory } from '../support/story.js';

/** What nobody may read anywhere but in the plan and at the platform. */
const PEOPLE = {
  aliceName: 'Xanthippe Marknameone',
  aliceEmail: 'markmailone@people.example',
  aliceIc: '770101-11-1111',
  bobName: 'Yggdrasil Marknametwo',
  bobEmail: 'markmailtwo@people.example',
  bobIc: '880202-22-2222',
} as const;

const ENV = {
  WINDLASS_VAR_BOB_NAME: PEOPLE.bobName,
  WINDLASS_VAR_BOB_EMAIL: PEOPLE.bobEmail,
  WINDLASS_VAR_BOB_IC: PEOPLE.bobIc,
};

const planOf = (alice: string = PEOPLE.aliceName): string => `windlass: 1
name: masked
vars: { alice: ${alice} }
wallets:
  office: { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
  alice: { create: { name: "{{vars.alice}}", email: ${PEOPLE.aliceEmail}, ic: ${PEOPLE.aliceIc} } }
  bob: { create: { name: { env: WINDLASS_VAR_BOB_NAME }, email: { env: WINDLASS_VAR_BOB_EMAIL }, ic: { env: WINDLASS_VAR_BOB_IC } } }
audit:
  contracts: { log: {} }
  records:
    hello: { contract: log, signer: office, metadata: { to: <alice_ADDRESS>, and: <bob_ADDRESS> } }
`;

/** In plain, in other spellings, and as digests that could be guessed. */
function spellings(): readonly string[] {
  const texts = Object.values(PEOPLE);
  const digests = ['sha256', 'sha512', 'sha1', 'md5'].flatMap((kind) =>
    texts.map((text) => createHash(kind).update(text).digest('hex').slice(0, 24)),
  );
  const encoded = texts.flatMap((text) => [
    encodeURIComponent(text),
    Buffer.from(text).toString('base64').slice(0, 20),
    Buffer.from(text).toString('hex'),
  ]);
  return [...texts, ...digests, ...encoded, 'Marknameone', 'Marknametwo', 'markmail'];
}

function expectNobody(text: string, where: string): void {
  for (const spelling of spellings()) {
    expect(text.toLowerCase().includes(spelling.toLowerCase()), `${spelling} in ${where}`).toBe(false);
  }
}

it(
  'people whom wallets are made for stand nowhere but in the plan and in the request',
  async () => {
    const traces: string[] = [];
    const collector = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (part: string) => traces.push(part));
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port } = collector.address() as AddressInfo;
    const traced = { ...ENV, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    await tellStory({ 'windlass.yaml': planOf() }, ENV, async ({ folder, run, write }) => {
      const said: [string, Ended][] = [];
      const tell = async (code: number, ...args: readonly string[]): Promise<Ended> => {
        // Traces belong to a process.
        const ended =
          args[1] === 'saved.json' && args[0] === 'apply'
            ? await windlassProcess(args, { cwd: folder, env: traced })
            : await run(...args);
        said.push([args.join(' '), ended]);
        expect(ended.code, `${args.join(' ')}\n${ended.stderr}`).toBe(code);
        return ended;
      };
      for (const format of ['text', 'json', 'markdown', 'html', 'gitlab']) {
        await tell(0, 'plan', '--format', format);
      }
      await tell(0, 'plan', '--json', '--out', 'saved.json', '--markdown-into', 'comment.md');
      await tell(0, 'plan', '--offline', '--full');
      for (const format of ['text', 'json', 'markdown', 'html']) {
        await tell(0, 'show', 'saved.json', '--format', format);
      }
      await tell(0, 'apply', 'saved.json', '--yes', '--json-into', 'events.jsonl', '--html', 'run.html');
      await tell(0, 'plan', '--full');
      await tell(0, 'apply', '--yes', '--json');
      for (const command of ['status', 'verify', 'graph', 'outputs', 'validate']) {
        await tell(0, command);
        await tell(0, command, '--format', command === 'graph' ? 'svg' : 'json');
      }
      await tell(0, 'attest', '--out', 'release.intoto.json');

      // The plan gives another name, which the platform shows to be another.
      await write({ 'windlass.yaml': planOf('Somebody Else') });
      const drifted = await tell(6, 'plan');
      expect(drifted.stdout).toContain('another name');
      expect(drifted.stdout).not.toContain('Somebody');
      await tell(6, 'plan', '--format', 'json');
      await tell(6, 'verify', '--format', 'json');
      await tell(3, 'adopt', 'wallet.alice', 'address=0x0000000000000000000000000000000000000001');

      // Mistakes beside a name.
      await write({
        'broken.yaml': planOf().replace('ic: 770101', 'icc: 770101'),
      });
      for (const format of ['text', 'json', 'sarif', 'github']) {
        await tell(3, 'validate', 'broken.yaml', '--format', format);
      }
      const literal = planOf().replace('"{{vars.alice}}"', `${PEOPLE.aliceName} <none_ADDRESS>`);
      await write({ 'literal.yaml': literal.replace(/^vars.*\n/m, '') });
      await tell(3, 'validate', 'literal.yaml');

      for (const [command, { stdout, stderr }] of said) expectNobody(stdout + stderr, command);
      const paths = (await pathsBelow(folder)).filter(
        (path) => !path.endsWith('.yaml') && !path.startsWith('.windlass/platform/'),
      );
      expect(paths).toEqual(
        expect.arrayContaining([
          '.windlass/env/local/journal.jsonl',
          'windlass.local.lock.json',
          'saved.json',
          'run.html',
          'events.jsonl',
          'comment.md',
          'release.intoto.json',
        ]),
      );
      for (const path of paths) {
        const isFile = (await stat(join(folder, path))).isFile();
        if (isFile) expectNobody(await readFile(join(folder, path), 'latin1'), path);
      }
      const { payload } = JSON.parse(await readFile(join(folder, 'release.intoto.json'), 'utf8')) as {
        payload?: string;
      };
      if (payload !== undefined) expectNobody(Buffer.from(payload, 'base64').toString(), 'the payload');
      expect(traces.length).toBeGreaterThan(0);
      expectNobody(traces.join(''), 'the traces');
    });
    collector.closeAllConnections();
    collector.close();
  },
  4 * STORY,
);
