import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/model/canonical.js';
import type { JsonObject } from '../../src/model/json.js';
import type { Resource } from '../../src/model/resource.js';
import { driftedFields } from '../../src/diff/fields.js';
import type { Observation, Sighting } from '../../src/kinds/kind.js';
import type { ReadAnswer, ReadRequest } from '../../src/kinds/operation.js';
import { version as versionKind } from '../../src/kinds/version.js';
import { submitVersion } from '../../src/kinds/version-submit.js';
import { abilities, known, project, stepView, version } from '../support/builders.js';
import { ABSENT, found, judged, written } from '../support/judging.js';

const ALL = abilities();
const WANTED = version() as Resource<'version'>;
const NESTED = { solidity: { version: '0.8.28', settings: { optimizer: { enabled: true, runs: 200 } } } };
const DETAIL: JsonObject = {
  version: '1.0.0',
  slug: '1-100',
  status: 'compiled',
  compiler_settings: NESTED,
  packages: [],
  contract_files: [{ filename: 'Token.sol', url: '/files/Token.sol' }],
  artifacts: [{ contract_name: 'Token', bytecode: '0x6001' }],
  latest_error: '',
  last_compiled_at: '2026-03-01T09:00:00.000000Z',
};

/** What looking at the version shows of a service that has this detail. */
function seen(
  detail: JsonObject | undefined,
  entry?: Sighting['entry'],
  digest = digestOf('Token'),
): Observation {
  const { knowledge } = stepView([WANTED], { others: [project()] });
  const answers: ReadAnswer[] = [];
  const answer = (request: ReadRequest): ReadAnswer => {
    if (request.type === 'file') return found({ digest });
    const list = request.type === 'service' && request.endpoint === 'version.list';
    if (list) return found(detail === undefined ? [] : [{ version: '1.0.0', slug: '1-100' }]);
    return detail === undefined ? ABSENT : found(detail);
  };
  for (;;) {
    const sight = { resource: WANTED, entry, knowledge, answers };
    const next = versionKind.observe(sight);
    if (next.length === 0) return versionKind.seen(sight);
    answers.push(...next.map(answer));
  }
}

function differences(observation: Observation): readonly string[] {
  return driftedFields(versionKind.comparable(WANTED), observation.inputs ?? {}).map(({ path }) => path);
}

describe('a version that is looked at', () => {
  test('is absent, or present with the inputs that reads show', () => {
    expect(seen(undefined)).toEqual({ sight: 'absent' });
    expect(seen(DETAIL)).toMatchObject({ sight: 'present', sealed: false, outputs: { slug: '1-100' } });
  });

  test('is as planned in both shapes of its compiler settings', () => {
    expect(differences(seen(DETAIL))).toEqual([]);
    expect(differences(seen({ ...DETAIL, compiler_settings: { solidity: 'v0.8.28' } }))).toEqual([]);
    expect(differences(seen({ ...DETAIL, compiler_settings: { solidity: '0.8.20' } }))).toEqual([
      'compiler.solidity',
    ]);
    const optimizer = { solidity: { version: '0.8.28', settings: { optimizer: { enabled: 1, runs: 1 } } } };
    expect(differences(seen({ ...DETAIL, compiler_settings: optimizer }))).toEqual([
      'compiler.optimizer.runs',
    ]);
  });

  test('differs when its sources differ, are fewer, or are more', () => {
    expect(differences(seen(DETAIL, undefined, digestOf('other')))).toEqual(['sources[Token.sol]']);
    expect(differences(seen({ ...DETAIL, contract_files: [] }))).toEqual(['sources[Token.sol]']);
    const files = [
      ...(DETAIL['contract_files'] as JsonObject[]),
      { filename: 'Evil.sol', url: '/files/Evil.sol' },
    ];
    expect(differences(seen({ ...DETAIL, contract_files: files }))).toEqual(['sources[Evil.sol]']);
  });

  test('differs when its packages differ or it never compiled', () => {
    expect(differences(seen({ ...DETAIL, packages: ['@openzeppelin/contracts'] }))).toEqual(['packages[0]']);
    expect(differences(seen({ ...DETAIL, artifacts: [], latest_error: 'ParserError' }))).toEqual([
      'compiled',
    ]);
  });

  test('is updated when it differs, and blocked once it was deployed', () => {
    for (const deployed of [{ status: 'deployed' }, { last_deployed_at: '2026-03-01T09:00:00.000000Z' }]) {
      const observation = seen({ ...DETAIL, ...deployed });
      expect(versionKind.differs(WANTED, [], observation).action).toBe('blocked');
    }
    expect(versionKind.differs(WANTED, [], seen(DETAIL)).action).toBe('update');
  });
});

describe('the request for a version', () => {
  const view = stepView([WANTED], {
    others: [project()],
    outputs: { 'project.registry': { slug: 'registry' } },
  });
  const list = { 'version.list': found([{ version: '1.0.0', slug: '1-100' }]) };

  test('creates one, or updates the one of that name', () => {
    const created = written(submitVersion(false), view, { 'version.list': found([]) });
    expect(created.request).toMatchObject({
      endpoint: 'version.create',
      params: { projectSlug: 'registry' },
    });
    const updated = written(submitVersion(true), view, { ...list, 'version.detail': found(DETAIL) });
    expect(updated.request.params).toEqual({ projectSlug: 'registry', versionSlug: '1-100' });
    expect(updated.context).toMatchObject({ compiledBefore: DETAIL['last_compiled_at'], errorBefore: '' });
  });

  test('leaves packages out when there are none', () => {
    const { request } = written(submitVersion(false), view, { 'version.list': found([]) });
    expect(request.body).not.toHaveProperty('packages');
    expect(request.files).toMatchObject([{ field: 'contract_files[]', filename: 'Token.sol' }]);
  });
});

describe('a submitted version', () => {
  const create = submitVersion(false);
  const submitted = known({
    resources: [WANTED.id],
    context: { project: 'registry', name: '1.0.0', before: ['2-100'], compiledBefore: null, errorBefore: '' },
    ids: { slug: '1-100' },
  });

  test('is not what an answer or a read tells of another version', () => {
    const { context } = submitted;
    expect(create.accept({ slug: '1-100', version: '1.0.0' }, context)).toEqual({ slug: '1-100' });
    expect(create.accept({ slug: '1-100' }, context)).toEqual({ slug: '1-100' });
    expect(create.accept({ slug: '2-100', version: '2.0.0' }, context)).toBeUndefined();
    const other = { 'version.detail': found({ ...DETAIL, version: '2.0.0' }) };
    expect(judged(create, submitted, ALL, other)).toEqual({ type: 'wait' });
  });

  test('is confirmed when it has artifacts, with a digest of each bytecode', () => {
    const verdict = judged(create, submitted, ALL, { 'version.detail': found(DETAIL) });
    expect(verdict).toMatchObject({ type: 'confirmed', grade: 'B' });
    expect(verdict).toHaveProperty(
      ['outputs', WANTED.id, 'bytecode', 'Token'],
      expect.stringMatching(/^sha256:/),
    );
  });

  test('waits while it compiles, whatever its status says', () => {
    for (const status of ['compile_queued', 'compiling', 'something new']) {
      const detail = { ...DETAIL, status, artifacts: [], last_compiled_at: null };
      expect(judged(create, submitted, ALL, { 'version.detail': found(detail) })).toMatchObject({
        type: 'wait',
      });
    }
  });

  test('failed when it shows an error', () => {
    const detail = { ...DETAIL, artifacts: [], latest_error: 'ParserError', last_compiled_at: null };
    expect(judged(create, submitted, ALL, { 'version.detail': found(detail) })).toMatchObject({
      type: 'failed',
      message: 'ParserError',
    });
  });

  test('is not judged by what was there before an update', () => {
    const context = {
      ...submitted.context,
      slug: '1-100',
      compiledBefore: DETAIL['last_compiled_at'] ?? null,
      errorBefore: 'old error',
    };
    const update = submitVersion(true);
    const before = { ...submitted, context };
    expect(judged(update, before, ALL, { 'version.detail': found(DETAIL) })).toMatchObject({ type: 'wait' });
    const stale = { ...DETAIL, latest_error: 'old error', last_compiled_at: null };
    expect(judged(update, before, ALL, { 'version.detail': found(stale) })).toMatchObject({ type: 'wait' });
    const again = { ...stale, last_compiled_at: '2026-03-02T09:00:00.000000Z' };
    expect(judged(update, before, ALL, { 'version.detail': found(again) })).toMatchObject({ type: 'failed' });
  });

  test('is found in the list when its answer was lost, but never one that was there before', () => {
    const lost = { ...submitted, ids: {}, outcome: 'ambiguous' as const };
    const answers = { 'version.detail': found(DETAIL) };
    const list = (slug: string): ReadAnswer => found([{ version: '1.0.0', slug }]);
    expect(judged(create, lost, ALL, { ...answers, 'version.list': list('1-100') })).toMatchObject({
      type: 'confirmed',
    });
    expect(judged(create, lost, ALL, { ...answers, 'version.list': list('2-100') })).toEqual({
      type: 'wait',
    });
  });
});
