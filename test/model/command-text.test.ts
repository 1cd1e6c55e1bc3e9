import { describe, expect, test } from 'vitest';
import { withPlace } from '../../src/model/command-text.js';

describe('a sentence that names commands', () => {
  const live = { environment: 'live' };

  test('names the environment right behind the command, before what follows it', () => {
    expect(withPlace('Free a dead one with `windlass unlock`.', live)).toBe(
      'Free a dead one with `windlass unlock --env live`.',
    );
    expect(withPlace('`windlass plan --out`; `windlass status` shows it', live)).toBe(
      '`windlass plan --env live --out`; `windlass status --env live` shows it',
    );
  });

  test('names the plan where a plan is the first argument', () => {
    const place = { ...live, plan: 'b/release.yaml' };
    expect(withPlace("`windlass resolve 'tag.x#1' --adopt …`; see `windlass status`", place)).toBe(
      "`windlass resolve --env live 'tag.x#1' --adopt …`; see `windlass status b/release.yaml --env live`",
    );
  });

  test('stays as it is when it says it already, is about no environment, or means the default', () => {
    const said =
      'See `windlass status --env test`, `windlass explain X`, `windlass platform start`, windlass.yaml.';
    expect(withPlace(said, live)).toBe(said);
    expect(withPlace('`windlass unlock`', {})).toBe('`windlass unlock`');
  });
});
