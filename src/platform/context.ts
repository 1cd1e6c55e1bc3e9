import { join } from 'node:path';
import type { Limits } from './admission/limits.js';
import type { Quotas } from './admission/quotas.js';
import type { Rates } from './admission/rates.js';
import type { ChainSide } from './chain/chain-side.js';
import type { People } from './chain/people.js';
import type { Wallets } from './chain/wallets.js';
import type { PlatformClock } from './clock.js';
import type { Outbox } from './delivery/outbox.js';
import type { Faults } from './faults/faults.js';
import { openFiles } from './files/store.js';
import { openCompiling } from './handlers/contracts/compiling.js';
import type { VersionLimits } from './handlers/contracts/version-limits.js';
import type { Context, Settings } from './handlers/handler.js';
import type { PlatformOptions } from './options.js';
import type { ApiKey } from './server/access/keys.js';
import type { Log } from './server/logs.js';
import type { Records } from './state/records.js';

/** How to take back one part of a start. */
export type Undo = () => Promise<void> | void;

/** What a service is made of. */
export interface ServeParts {
  readonly options: PlatformOptions;
  readonly host: string;
  readonly loopback: boolean;
  readonly limits: Limits;
  /** Requests of organisations; what their calls cost the chain is charged to it. */
  readonly rates: Rates;
  /** What an organisation may have. */
  readonly quotas: Quotas;
  readonly records: Records;
  readonly wallets: Wallets;
  readonly people: People;
  readonly outbox: Outbox;
  readonly side: ChainSide;
  readonly clock: PlatformClock;
  readonly faults: Faults;
  readonly failed: (cause: unknown) => void;
  /** Undefined: no line is written. */
  readonly log: Log | undefined;
  readonly id: string;
  /** Undefined where there is none. */
  readonly developmentKey: ApiKey | undefined;
}

/** Everything that handlers use; the compiler begins to work. */
export function openContext(parts: ServeParts, url: () => string, undo: Undo[]): Context {
  const { options, records, wallets, people, outbox, side, failed } = parts;
  const { now } = parts.clock;
  const files = openFiles(join(options.dataDir, 'files'), url, {
    reader: records,
    quotas: parts.quotas,
  });
  const about = { options, loopback: parts.loopback, failed };
  const { compiler, packages, versions } = openCompiling({ records, files, now }, about);
  undo.push(() => compiler.close());
  return {
    records,
    wallets,
    people,
    files,
    compiler,
    packages,
    now,
    delivery: outbox,
    quotas: parts.quotas,
    chain: side.chain,
    chainOf: (org) => side.chainOf(org),
    transactions: side.transactions,
    fees: side.fees,
    settings: settingsOf(options, versions, url),
  };
}

/** The switches of a platform, each as given or as it is by default. */
function settingsOf(options: PlatformOptions, versions: VersionLimits, url: () => string): Settings {
  const { maxOrganisationWallets } = options;
  return {
    get publicUrl() {
      return url();
    },
    bcryptCost: options.bcryptCost ?? 10,
    allowRedeploy: options.allowRedeploy ?? true,
    listPartialDeployment: options.listPartialDeployment ?? true,
    statusWords: options.statusWords ?? {},
    ...(maxOrganisationWallets !== undefined && { maxOrganisationWallets }),
    versions,
  };
}
