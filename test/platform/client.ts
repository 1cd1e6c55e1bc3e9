import FormData from 'form-data';
import { request } from 'undici';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.js';

/** A pair of credentials. */
export interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

/** What the service answered. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** A file for a form. */
interface FormFile {
  readonly field?: string;
  readonly filename: string;
  readonly bytes: Buffer;
}

/** The service over plain HTTP, with paths written out as the interface has them. */
export interface Client {
  get(path: string, query?: Readonly<Record<string, string>>): Promise<Answer>;
  post(path: string, body: Json): Promise<Answer>;
  /** With a JSON body, or with none but JSON's content type, as some clients send. */
  put(path: string, body?: Json): Promise<Answer>;
  remove(path: string): Promise<Answer>;
  form(path: string, fields: Readonly<Record<string, string>>, file?: FormFile): Promise<Answer>;
}

export function clientOf(apiUrl: string, { client_id, client_secret }: Credentials): Client {
  const auth = { client_id, client_secret };
  return {
    get: async (path, query = {}) => {
      const search = new URLSearchParams(query).toString();
      return answerOf(await request(`${apiUrl}${path}?${search}`, { headers: auth }));
    },
    post: async (path, body) =>
      answerOf(
        await request(`${apiUrl}${path}`, {
          method: 'POST',
          headers: { ...auth, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    put: async (path, body) =>
      answerOf(
        await request(`${apiUrl}${path}`, {
          method: 'PUT',
          headers: { ...auth, 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      ),
    remove: async (path) => answerOf(await request(`${apiUrl}${path}`, { method: 'DELETE', headers: auth })),
    form: async (path, fields, file) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      if (file) form.append(file.field ?? 'file', file.bytes, { filename: file.filename });
      const headers = { ...auth, ...form.getHeaders() };
      return answerOf(await request(`${apiUrl}${path}`, { method: 'POST', headers, body: form.getBuffer() }));
    },
  };
}

async function answerOf(response: Awaited<ReturnType<typeof request>>): Promise<Answer> {
  return { status: response.statusCode, body: (await response.body.json()) as Json };
}

/** The value at a dotted path, array indexes included; undefined where the path ends early. */
export function at(value: Json, path: string): Json | undefined {
  let here: Json | undefined = value;
  for (const part of path.split('.')) {
    if (Array.isArray(here)) here = (here as readonly Json[])[Number(part)];
    else here = isJsonObject(here) ? here[part] : undefined;
  }
  return here;
}

/** The text at a dotted path. */
export function textAt(value: Json, path: string): string {
  const found = at(value, path);
  if (typeof found !== 'string') throw new Error(`no text at ${path} in ${JSON.stringify(value)}`);
  return found;
}

/** The whole number at a dotted path, as digits. */
export function idAt(value: Json, path: string): string {
  const found = at(value, path);
  if (!Number.isSafeInteger(found)) throw new Error(`no id at ${path} in ${JSON.stringify(value)}`);
  return JSON.stringify(found);
}

/** The list at a dotted path. */
export function listAt(value: Json, path: string): readonly JsonObject[] {
  const found = at(value, path);
  if (!Array.isArray(found)) throw new Error(`no list at ${path} in ${JSON.stringify(value)}`);
  return found as readonly JsonObject[];
}

/** Names of the fields that a 422 complains of. */
export function wrongFields(answer: Answer): readonly string[] {
  const errors = at(answer.body, 'errors');
  if (answer.status !== 422 || !isJsonObject(errors)) throw new Error(`no 422: ${JSON.stringify(answer)}`);
  return Object.keys(errors);
}
