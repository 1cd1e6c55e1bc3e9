import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { writeAtomically } from './atomic-file.js';

/**
 * Pins of packages by `name@version`, kept in a JSON file.
 *
 * @param file made when missing; a damaged one counts as empty and is replaced
 */
export function openPinCache(file: string): {
  get(spec: string): Promise<Json | undefined>;
  put(spec: string, pin: Json): Promise<void>;
} {
  return {
    get: async (spec) => (await readPins(file))[spec],
    put: async (spec, pin) => {
      const pins = { ...(await readPins(file)), [spec]: pin };
      await mkdir(dirname(file), { recursive: true });
      await writeAtomically(file, `${JSON.stringify(pins, undefined, 2)}\n`);
    },
  };
}

async function readPins(file: string): Promise<JsonObject> {
  try {
    const pins = JSON.parse(await readFile(file, 'utf8')) as Json;
    return isJsonObject(pins) ? pins : {};
  } catch {
    return {};
  }
}
