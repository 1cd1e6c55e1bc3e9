import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAIN } from '../cli/command.js';
import { bash, type Runner } from './workflow.js';

/** A call of `gh api`, as the script in its place saw it. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: { readonly body?: string; readonly state?: string; readonly head?: string };
  readonly token: boolean;
}

/** Stands where GitHub would: keeps comments, issues and pull requests in a folder, and every call. */
const GH = `#!/usr/bin/env node
const fs = require('node:fs');
const { join } = require('node:path');
const [, , api, ...words] = process.argv;
if (api !== 'api') throw new Error('only gh api');
const at = (flag) => (words.includes(flag) ? words.splice(words.indexOf(flag), 2)[1] : undefined);
const method = at('--method') ?? 'GET';
const input = at('--input');
const body = input && JSON.parse(fs.readFileSync(input, 'utf8'));
const [path] = words;
const place = process.env.GH_PLACE;
fs.appendFileSync(join(place, 'calls'), JSON.stringify({ method, path, body, token: Boolean(process.env.GH_TOKEN) }) + '\\n');
const [, things, id] = /^repos\\/[^/]+\\/[^/]+\\/(?:issues\\/\\d+\\/(?=comments))?(issues\\/comments|comments|issues|pulls)(?:\\/(\\d+))?/.exec(path);
const file = join(place, things.replace('issues/comments', 'comments') + '.json');
const kept = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : [];
const query = new URLSearchParams(path.split('?')[1]);
let answer;
if (method === 'POST') kept.push((answer = { id: kept.length + 7, number: kept.length + 7, user: { type: 'Bot' }, state: 'open', ...body }));
else if (method === 'PATCH') Object.assign((answer = kept.find((one) => String(one.id) === id)), body);
else answer = kept.filter((one) => !query.has('state') || one.state === query.get('state')).slice(100 * (Number(query.get('page') ?? 1) - 1)).slice(0, 100);
fs.writeFileSync(file, JSON.stringify(kept));
process.stdout.write(JSON.stringify(answer));
`;

/** Puts the built command line where \`npm ci\` would. */
const NPM = `#!/usr/bin/env bash
[ "$1" = ci ] && [ "$2" = --ignore-scripts ] || exit 1
mkdir -p node_modules/.bin node_modules/windlass
printf '#!/bin/sh\\nexec node ${MAIN} "$@"\\n' > node_modules/.bin/windlass
chmod +x node_modules/.bin/windlass
ln -sfn ${join(MAIN, '../../../examples')} node_modules/windlass/examples
`;

/** The world around pipelines: a bare repository, its hosting, and runners that start with nothing. */
export interface Hosting {
  readonly bare: string;
  /** A runner with a checkout of a branch, and with these variables beside its own. */
  runner(branch: string, env?: Readonly<Record<string, string>>): Runner;
  /** Clones a branch (new from main if need be), changes files, commits and pushes. */
  push(branch: string, files: Readonly<Record<string, string>>): Promise<void>;
  git(script: string): Promise<string>;
  calls(): Promise<readonly Call[]>;
  kept(
    things: 'comments' | 'issues' | 'pulls',
  ): Promise<readonly { readonly body: string; readonly state: string }[]>;
  keep(things: 'comments', items: readonly object[]): Promise<void>;
}

/** Opens a hosting below a folder, with its branch main holding these files. */
export async function openHosting(folder: string, files: Readonly<Record<string, string>>): Promise<Hosting> {
  const bin = join(folder, 'bin');
  const place = join(folder, 'gh');
  const bare = join(folder, 'origin.git');
  for (const path of [bin, place]) await mkdir(path, { recursive: true });
  for (const [name, text] of [
    ['gh', GH],
    ['npm', NPM],
  ] as const)
    await writeFile(join(bin, name), text, { mode: 0o755 });
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = async (script: string): Promise<string> => {
    const { code, log } = await bash(script, folder, env);
    if (code !== 0) throw new Error(log);
    return log;
  };
  await git(
    `git init -q --bare -b main ${bare}; git clone -q ${bare} author 2>/dev/null; cd author; git checkout -q -b main`,
  );
  const write = async (changed: Readonly<Record<string, string>>): Promise<void> => {
    for (const [path, text] of Object.entries(changed)) {
      await mkdir(join(folder, 'author', path, '..'), { recursive: true });
      await writeFile(join(folder, 'author', path), text);
    }
  };
  const read = async <T>(name: string, otherwise: T): Promise<T> =>
    readFile(join(place, name), 'utf8').then(
      (text) => JSON.parse(text) as T,
      () => otherwise,
    );
  await write(files);
  await git('cd author; git add -A; git commit -qm first; git push -q origin main');
  let runners = 0;
  return {
    bare,
    git,
    runner: (branch, more = {}) => {
      const home = join(folder, `runner-${++runners}`);
      const workspace = join(home, 'work');
      return {
        workspace,
        temp: join(home, 'temp'),
        artifacts: join(folder, 'artifacts'),
        checkout: async () => void (await git(`git clone -q --branch ${branch} ${bare} ${workspace}`)),
        env: {
          PATH: env.PATH,
          HOME: home,
          GIT_CONFIG_GLOBAL: '/dev/null',
          GH_PLACE: place,
          WINDLASS_CACHE_DIR: process.env['WINDLASS_CACHE_DIR'] ?? '',
          ...more,
        },
      };
    },
    push: async (branch, changed) => {
      await git(
        `cd author; git fetch -q; git checkout -q -B ${branch} $(git rev-parse -q --verify origin/${branch} || echo origin/main)`,
      );
      await write(changed);
      await git(`cd author; git add -A; git commit -qm change; git push -q origin ${branch}`);
    },
    calls: async () => {
      const text = await readFile(join(place, 'calls'), 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Call);
    },
    kept: (things) => read(`${things}.json`, []),
    keep: (things, items) => writeFile(join(place, `${things}.json`), JSON.stringify(items)),
  };
}
