import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(
  new URL('../../node_modules/yaml-language-server/bin/yaml-language-server', import.meta.url),
);

/** A mark in a text; lines and columns from 0, as the Language Server Protocol has them. */
export interface Mark {
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
  readonly message: string;
}

/** The editor's side of a language server. */
export interface Editor {
  /** Opens a text as a file of the given address and gives the marks that the server puts in it. */
  open(uri: string, text: string): Promise<readonly Mark[]>;
  /** The text shown over a place of an open file; empty when there is none. */
  hover(uri: string, line: number, character: number): Promise<string>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** What an editor is set to; nothing is fetched from anywhere. */
export type Settings = Readonly<Record<string, unknown>>;

const OFFLINE: Settings = {
  validate: true,
  hover: true,
  schemaStore: { enable: false },
  kubernetesCRDStore: { enable: false },
};

/** Starts the real YAML language server over stdio, as editors do. */
export async function startEditor(settings: Settings = {}): Promise<Editor> {
  const child = spawn(process.execPath, [SERVER, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = new Map<number, (result: unknown) => void>();
  const marked = new Map<string, (marks: readonly Mark[]) => void>();
  let nextId = 1;
  const send = (message: Message & { readonly error?: unknown }): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const ask = (method: string, params: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      const id = nextId++;
      answers.set(id, resolve);
      send({ id, method, params });
    });
  const configuration = ({ items }: { readonly items: readonly { readonly section?: string }[] }) =>
    items.map(({ section }) => (section === 'yaml' ? { ...OFFLINE, ...settings } : {}));

  const take = ({ id, method, params, result }: Message): void => {
    if (method === undefined) {
      if (id !== undefined) answers.get(id)?.(result);
    } else if (id !== undefined) {
      const isConfiguration = method === 'workspace/configuration';
      send({ id, result: isConfiguration ? configuration(params as never) : null });
    } else if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { uri: string; diagnostics: readonly Mark[] };
      marked.get(uri)?.(diagnostics);
    }
  };
  child.stdout.on('data', framesInto(take));

  const capabilities = {
    workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: false } },
    textDocument: { hover: { contentFormat: ['markdown'] }, publishDiagnostics: {} },
  };
  await ask('initialize', { processId: process.pid, rootUri: null, capabilities, workspaceFolders: [] });
  send({ method: 'initialized', params: {} });
  send({
    method: 'workspace/didChangeConfiguration',
    params: { settings: { yaml: { ...OFFLINE, ...settings } } },
  });

  return {
    open: (uri, text) =>
      new Promise((resolve) => {
        marked.set(uri, resolve);
        const textDocument = { uri, languageId: 'yaml', version: 1, text };
        send({ method: 'textDocument/didOpen', params: { textDocument } });
      }),
    hover: async (uri, line, character) => {
      const params = { textDocument: { uri }, position: { line, character } };
      const found = (await ask('textDocument/hover', params)) as {
        readonly contents?: { readonly value?: string };
      } | null;
      return found?.contents?.value ?? '';
    },
    close: async () => {
      await ask('shutdown', null);
      const ended = new Promise((resolve) => child.on('close', resolve));
      send({ method: 'exit' });
      child.stdin.end();
      await ended;
    },
  };
}

/** Cuts a stream into the messages that it carries. */
function framesInto(take: (message: Message) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, end))?.[1]);
      const body = rest.subarray(end + 4, end + 4 + length);
      if (body.length < length) return;
      rest = rest.subarray(end + 4 + length);
      take(JSON.parse(body.toString('utf8')) as Message);
    }
  };
}
