import type { JsonObject } from '../../../model/json.js';
import type { Artifact, EmittedEvents, VersionItem } from '../../../protocol/shapes.js';
import type { Files } from '../../files/files.js';
import { eventSignature } from './events.js';
import { shownStatus, type StatusContext } from './status-words.js';
import type { ArtifactRow, VersionRow } from './tables.js';

/** What a version is shown from beside its row. */
export type VersionContext = StatusContext & { readonly files: Pick<Files, 'url'> };

/** A version as lists and its detail show it: only the compiler's version of the settings, as the service does. */
export function listedVersion(row: VersionRow, context: VersionContext): VersionItem {
  return { ...common(row, context), compiler_settings: { solidity: row.compiler } };
}

/** A version as create and update answer it: with all settings. */
export function writtenVersion(row: VersionRow, context: VersionContext): VersionItem {
  const optimizer = { enabled: row.optimizer_enabled === 1, runs: row.optimizer_runs };
  return {
    ...common(row, context),
    compiler_settings: { solidity: { version: row.compiler, settings: { optimizer } } },
  };
}

/** An artifact of a version's detail. */
export function shownArtifact(row: ArtifactRow, files: Files): Artifact {
  return {
    id: row.id,
    contract_name: row.name,
    contract_abi: abiOf(row),
    bytecode: row.bytecode,
    source_code: files.url(row.source),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** One deployed instance with the events of its ABI; instances without events are listed too. */
export function emittedEvents(address: string, artifact: Pick<ArtifactRow, 'name' | 'abi'>): EmittedEvents {
  const events = abiOf(artifact).filter((entry) => entry['type'] === 'event');
  const named = events.filter((event) => event['anonymous'] !== true);
  return {
    contract_address: address,
    contract_name: artifact.name,
    events: named.map((event) => ({ ...event, signature: eventSignature(event) })),
    has_anonymous_events: named.length < events.length,
  };
}

/** The ABI of an artifact. */
export function abiOf(row: Pick<ArtifactRow, 'abi'>): readonly JsonObject[] {
  return JSON.parse(row.abi) as readonly JsonObject[];
}

function common(row: VersionRow, context: VersionContext): Omit<VersionItem, 'compiler_settings'> {
  return {
    status: shownStatus(row, context),
    compile_type: 'standard',
    version: row.version,
    slug: row.slug,
    packages: JSON.parse(row.packages) as string[],
    slither_file: typeof row.report === 'string' ? context.files.url(row.report) : null,
    last_compiled_at: row.last_compiled_at,
    last_deployed_at: row.last_deployed_at,
    latest_error: row.latest_error,
    vulnerabilities: row.vulnerabilities ?? null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
