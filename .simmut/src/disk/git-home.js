import { join } from 'node:path';
import { WindlassError } from '../model/error.js';
import { askingEnv, ownEnv, runGit, withoutSecrets } from './git-command.js';
import { ensurePrivateFolder, syncFolder } from './private-file.js';
import { statePaths } from './state-paths.js';
const REMOTE = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
/** Configuration that says how a remote is reached. Hooks, signing, aliases and everything else stay behind. */
const TRANSPORT = String.raw `^(http\..*|credential\..*|core\.(sshcommand|askpass|gitproxy)|ssh\..*|protocol\..*)$`;
/** Configuration of our own repository: no hooks, no housekeeping, and the remote is the durable copy. */
const OWN = [
    ['core.hooksPath', '/dev/null'],
    ['core.fsync', 'none'],
    ['fetch.fsckObjects', 'true'],
    // A fetch that is cut short leaves nothing behind, instead of a commit without its files.
    ['fetch.unpackLimit', '1'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['init.defaultBranch', 'none'],
];
/**
 * Finds the repository around a plan and its remote, and makes the bare repository that stands for it when missing.
 *
 * @param git which remote and name the plan gives
 * @throws STATE_GIT, STATE_UNSAFE, STATE_WRITE
 */
export async function openGitHome(place, git, env = process.env) {
    const asked = { cwd: place.root, env: askingEnv(env) };
    const [top, prefix, format, url, transport] = await Promise.all([
        ask(asked, ['rev-parse', '--show-toplevel']),
        ask(asked, ['rev-parse', '--show-prefix']),
        ask(asked, ['rev-parse', '--show-object-format']),
        pushAddress(asked, git.remote),
        transportConfig(asked),
    ]);
    const { folder } = statePaths(place);
    await ensurePrivateFolder(folder);
    const gitDir = join(folder, 'git');
    const config = [[`remote.${git.remote}.url`, url], ...transport, ...OWN];
    const home = {
        place: { cwd: top, env: ownEnv(env, gitDir, config) },
        remote: git.remote,
        ref: refName(place, git, prefix),
    };
    // Safe to repeat, and with several processes at once.
    await own(home, { args: ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`] });
    await syncFolder(folder);
    return home;
}
/** Runs a command in our own repository. @returns its output @throws STATE_WRITE when it fails */
export async function own(home, command) {
    const ended = await runGit(home.place, command);
    if (ended.code === 0)
        return ended.stdout;
    const name = command.args[0] ?? '';
    throw new WindlassError('STATE_WRITE', `git ${name} failed beside the journal: ${ended.message}.`);
}
/**
 * The ref of a lineage: `refs/windlass/ENV/journal` for a `windlass.yaml` at the top of its repository, else
 * `refs/windlass/ENV@NAME/journal`, where NAME is the plan's or says where the plan lies. Whatever the names hold, the
 * result is a ref that Git takes.
 */
export function refName({ environment, planFile }, git, prefix) {
    const path = `${prefix}${planFile.replace(/\.ya?ml$/i, '')}`;
    const name = git.name ?? (path === 'windlass' ? '' : path);
    const suffix = name === '' ? '' : `@${escapeRef(name)}`;
    return `refs/windlass/${escapeRef(environment)}${suffix}/journal`;
}
function escapeRef(name) {
    return [...Buffer.from(name)]
        .map((byte) => {
        const character = String.fromCharCode(byte);
        return /[A-Za-z0-9_-]/.test(character)
            ? character
            : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
        .join('');
}
async function ask(place, args) {
    const { code, stdout, message } = await runGit(place, { args });
    if (code === 0)
        return stdout.toString('utf8').replace(/\n$/, '');
    throw new WindlassError('STATE_GIT', `There is no usable Git repository around the plan: ${message}.`);
}
/** Where pushes to a remote go; also read from there, because a mirror may lag behind. @throws STATE_GIT */
async function pushAddress(place, remote) {
    if (!REMOTE.test(remote)) {
        throw new WindlassError('STATE_GIT', `${withoutSecrets(remote)} is not the name of a remote.`);
    }
    const { code, stdout } = await runGit(place, { args: ['remote', 'get-url', '--push', '--all', remote] });
    const urls = stdout.toString('utf8').split('\n').slice(0, -1);
    const [url] = urls;
    if (code !== 0 || url === undefined) {
        throw new WindlassError('STATE_GIT', `The repository of the plan has no remote ${remote}.`);
    }
    if (urls.length > 1) {
        throw new WindlassError('STATE_GIT', `The remote ${remote} pushes to ${urls.length} addresses at once.`, {
            advice: 'Name a remote with one push address under state.git.remote.',
        });
    }
    return url;
}
async function transportConfig(place) {
    const { stdout } = await runGit(place, { args: ['config', '--includes', '-z', '--get-regexp', TRANSPORT] });
    return stdout
        .toString('utf8')
        .split('\0')
        .slice(0, -1)
        .map((entry) => {
        const end = entry.indexOf('\n');
        return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
    });
}
