/* oxlint-disable typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- plain JavaScript outside the TypeScript project, so that any Node can load it */
// Loaded before the command line by tests of several machines: this process then believes to run on the host named by
// TEST_HOST, so that nobody can ask whether it lives.
import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';

os.hostname = () => process.env.TEST_HOST ?? 'host';
syncBuiltinESMExports();
