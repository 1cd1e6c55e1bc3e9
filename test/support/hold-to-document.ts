import { afterAll } from 'vitest';
import { expectConformance } from './conformance.js';
import { dropTestDatabases } from './test-database.js';

// Read before each file of tests (vitest.config.ts), so that none can forget it.
afterAll(expectConformance);
afterAll(dropTestDatabases);
