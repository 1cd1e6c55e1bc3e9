import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readApplyInput } from '../../src/cli/apply-input.js';
import { WindlassError } from '../../src/model/error.js';
import { formatSavedChangeSet } from '../../src/report/saved-change-set.js';
import { change, changeSet } from '../report/samples.js';
import { inFolder } from './command.js';

const NO_FLAGS = { target: [], exclude: [], replace: [] };

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'read',
    (thrown: unknown) => (thrown instanceof WindlassError ? thrown.code : String(thrown)),
  );
}

it('a saved change set is refused as edited when any one byte of its file is another one, or is gone', async () => {
  await inFolder(async (folder) => {
    const text = formatSavedChangeSet({
      planPath: 'windlass.yaml',
      target: null,
      lineage: null,
      serial: 0,
      selection: { targets: [], excludes: [], replaces: [] },
      forget: false,
      engine: '1.0.0',
      files: { 'a.sol': 'sha256:0a' },
      changeSet: changeSet([change('tag.a', { reason: 'ünlike \uFFFD 😀' })]),
    });
    const path = join(folder, 'release.json');
    const read = async (bytes: Uint8Array): Promise<string> => {
      await writeFile(path, bytes);
      return codeOf(readApplyInput(path, NO_FLAGS, { cwd: folder, env: {} }));
    };
    const whole = Buffer.from(text);
    // What it was made from is not there: it is read, and refused for another reason.
    expect(await read(whole)).toBe('CHANGESET_STALE');
    const accepted: number[] = [];
    for (let at = 0; at < whole.length; at += 1) {
      const edits = [1 << (at % 8), 0x80].map((bits) => {
        const edited = Buffer.from(whole);
        edited[at] = (edited[at] ?? 0) ^ bits;
        return edited;
      });
      edits.push(Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]));
      for (const edited of edits) if ((await read(edited)) !== 'CHANGESET_TAMPERED') accepted.push(at);
    }
    expect(accepted).toEqual([]);
  });
}, 120_000);
