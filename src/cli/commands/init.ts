import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { readSchema } from '../../schemas.js';
import { DEFAULT_PLAN } from '../plan-file.js';
import { shellWord } from '../../report/shell-word.js';
import { printDocument, type AnswerFlags } from '../output/answer.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** The plan folders that the package brings. */
export const TEMPLATES = ['minimal', 'campus', 'certificates', 'audit'] as const;

/** One of {@link TEMPLATES}. */
export type Template = (typeof TEMPLATES)[number];

/** Flags of `init`. */
export interface InitFlags extends AnswerFlags {
  readonly template: Template;
}

const IGNORED = `# State of this machine: journal, tokens, embedded platform, compilers.
.windlass/
# The embedded platform is yours alone; locks of other environments belong in Git.
*.local.lock.json
*.local.lock/
`;

/** Writes a plan folder that applies as it stands. @throws INIT_NOT_EMPTY */
export async function init(
  terminal: Terminal,
  named: string | undefined,
  flags: InitFlags,
): Promise<ExitCode> {
  const folder = resolve(terminal.cwd, named ?? '.');
  const written = await copyTemplate(flags.template, folder);
  const inside = relative(terminal.cwd, folder);
  const shown = inside.startsWith('..') ? folder : inside || '.';
  if (flags.format === 'json') {
    printDocument(terminal, { folder, template: flags.template, files: written });
    return EXIT.done;
  }
  printNote(terminal, `Wrote ${written.length} files to ${shown} from the template ${flags.template}.`);
  const step = shown === '.' ? '' : `cd ${shellWord(shown)} && `;
  printResult(terminal, `Next: ${step}windlass plan`);
  return EXIT.done;
}

/**
 * Copies a template with a local schema for editors and a `.gitignore`.
 *
 * @returns the copied paths, relative to the folder
 * @throws INIT_NOT_EMPTY when a file would be overwritten; nothing is written then
 */
export async function copyTemplate(template: Template, folder: string): Promise<readonly string[]> {
  const source = fileURLToPath(new URL(`../../../examples/${template}/`, import.meta.url));
  const files = await filesOf(source);
  const present = new Set(await filesIfAny(folder));
  const extra = ['.gitignore', 'schemas/plan.schema.json'];
  const clash = [...files, ...extra].filter((file) => present.has(file));
  if (clash.length > 0) {
    throw new WindlassError('INIT_NOT_EMPTY', `The folder already holds ${clash.slice(0, 5).join(', ')}.`);
  }
  await mkdir(join(folder, 'schemas'), { recursive: true });
  for (const file of files) {
    await cp(join(source, file), join(folder, file), { force: false, errorOnExist: true });
  }
  await writeFile(join(folder, '.gitignore'), IGNORED, { flag: 'wx' });
  await writeFile(join(folder, 'schemas/plan.schema.json'), readSchema('plan'), { flag: 'wx' });
  await pointToSchema(join(folder, DEFAULT_PLAN));
  return [...files, ...extra];
}

async function pointToSchema(plan: string): Promise<void> {
  const text = await readFile(plan, 'utf8');
  await writeFile(plan, text.replace(/\$schema=\S+/, '$schema=./schemas/plan.schema.json'));
}

/** Files of a template: what applying it in place left behind is not part of it. */
async function filesOf(folder: string): Promise<readonly string[]> {
  return (await filesIfAny(folder)).filter((file) => !/^\.windlass\/|\.lock\.json$|\.lock\//.test(file));
}

async function filesIfAny(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
    (thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return [];
      throw new WindlassError('CLI_FILE_MISSING', `${folder} cannot be read: ${thrown.message}`);
    },
  );
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}
