import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Rooms without I/O (src/README.md): their tests start nothing. */
const PURE = ['diff', 'kinds', 'model', 'plan', 'protocol', 'report', 'state'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    sequence: { shuffle: true },
    // What is waited for may take its time on a busy machine.
    expect: { requireAssertions: true, poll: { timeout: 30_000 } },
    // Enough for stories on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Files share processes: each would spend more on loading engine and platform than on its tests.
    isolate: false,
    // Most tests wait for processes that they started: one worker more than a small machine has processors.
    maxWorkers: 3,
    env: {
      // One cache for all platforms that tests start: compilers and packages are fetched, and contracts compiled, once.
      WINDLASS_CACHE_DIR: join(tmpdir(), 'windlass-test-cache'),
      // Windlass reads nothing of npm's configuration; its tests run where npm has been told of another registry.
      WINDLASS_REGISTRY: process.env['WINDLASS_REGISTRY'] ?? process.env['npm_config_registry'] ?? '',
    },
    // The build is loaded as it is.
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      { extends: true, test: { name: 'pure', include: PURE } },
      {
        extends: true,
        test: {
          name: 'doors',
          include: ['test/**/*.test.ts'],
          exclude: PURE,
          setupFiles: ['test/support/hold-to-document.ts'],
          globalSetup: ['test/support/postgres-once.ts'],
        },
      },
    ],
  },
});
