import { isJsonObject, type Json } from '../../../model/json.js';
import { VERSION_NAME } from '../../../protocol/endpoint.js';
import { SOLC_VERSION } from '../../../build/compilers.js';
import { PACKAGE_SPEC } from '../../../build/package-name.js';
import { Fields } from '../fields.js';
import type { Call, UploadedFile } from '../handler.js';
import type { VersionLimits } from './version-limits.js';

/** A version as a create or update request describes it. */
export interface VersionForm {
  readonly version: string;
  /** Without the leading `v`. */
  readonly compiler: string;
  readonly optimizer: { readonly enabled: boolean; readonly runs: number };
  readonly packages: readonly string[];
  readonly files: readonly UploadedFile[];
}

/** Any name that a person gives a file and that is a file's name on every disk that a compiler may lie on. */
const SOURCE_NAME = /^[^\p{C}/\\]+\.sol$/u;
const SOURCE_NAME_BYTES = 204;

/** Packages that one version may name. */
const MOST_PACKAGES = 50;

/** Reads the form of a version. @throws ServiceError 422 with every mistake */
export function readVersionForm({ body, files }: Call, limits: VersionLimits): VersionForm {
  const fields = new Fields(body);
  const version = fields.text('version');
  if (version !== '' && !VERSION_NAME.test(version)) fields.fault('version', 'format is invalid.');
  const settings = fields.nested('compiler_settings');
  const alone = settings.value('solidity');
  // Until 2025 the documentation wrote the version alone where the settings are now.
  const solidity =
    typeof alone === 'string' ? settings.within({ version: alone }, 'solidity') : settings.nested('solidity');
  const compiler = solidity.text('version').replace(/^v/, '');
  if (compiler !== '' && !SOLC_VERSION.test(compiler)) solidity.fault('version', 'format is invalid.');
  const optimizer = solidity.nested('settings').nested('optimizer');
  const enabled = optimizer.optionalBoolean('enabled') ?? false;
  const runs = optimizer.optionalInteger('runs') ?? 200;
  if (runs > 0xffff_ffff) optimizer.fault('runs', 'must not be greater than 4294967295.');
  const packages = readPackages(fields);
  checkFiles(fields, files, limits);
  fields.check();
  const sources = files.filter((file) => file.field === 'contract_files');
  return { version, compiler, optimizer: { enabled, runs }, packages, files: sources };
}

function readPackages(fields: Fields): readonly string[] {
  const value = fields.value('packages') ?? [];
  const list: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value];
  if (isJsonObject(value)) fields.fault('packages', 'must be an array.');
  if (list.length > MOST_PACKAGES) {
    fields.fault('packages', `must not have more than ${String(MOST_PACKAGES)} items.`);
    return [];
  }
  return list.flatMap((spec, index) => {
    if (spec === '') return [];
    if (typeof spec === 'string' && PACKAGE_SPEC.test(spec)) return [spec];
    fields.fault(`packages.${String(index)}`, 'format is invalid.');
    return [];
  });
}

function checkFiles(fields: Fields, files: readonly UploadedFile[], limits: VersionLimits): void {
  const names = new Set<string>();
  const sources = files.filter((file) => file.field === 'contract_files');
  if (sources.length === 0) fields.fault('contract_files', 'is required.');
  if (sources.length > limits.sources)
    return fields.fault('contract_files', `must not have more than ${String(limits.sources)} items.`);
  if (sources.reduce((sum, { bytes }) => sum + bytes.length, 0) > limits.sourceBytes) {
    const kilobytes = String(Math.floor(limits.sourceBytes / 1024));
    return fields.fault('contract_files', `must not be greater than ${kilobytes} kilobytes together.`);
  }
  for (const [index, { filename, bytes }] of sources.entries()) {
    const name = `contract_files.${String(index)}`;
    if (!SOURCE_NAME.test(filename) || Buffer.byteLength(filename) > SOURCE_NAME_BYTES)
      fields.fault(name, 'must be a file of type: sol.');
    else if (names.has(filename)) fields.fault(name, 'has a duplicate value.');
    else if (!isText(bytes)) fields.fault(name, 'must be UTF-8 text.');
    names.add(filename);
  }
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
