import { expect, test } from 'vitest';
import { withoutSecrets } from '../../src/disk/git-command.js';

test('what Git says becomes a part of one sentence, without the user part of an address', () => {
  const said = "fatal: 'https://me:token@git.example.com/r' is gone.\n\nPlease make sure\nthat it exists.\n";
  expect(withoutSecrets(said)).toBe(
    "fatal: 'https://…@git.example.com/r' is gone; Please make sure; that it exists",
  );
});
