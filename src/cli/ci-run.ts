import type { OwnEnvironment } from '../model/own-variables.js';

/** Variables in which CI systems hold the address of the job that runs. */
const JOB_ADDRESSES = ['CI_JOB_URL', 'BUILDKITE_BUILD_URL', 'CIRCLE_BUILD_URL', 'BUILD_URL'] as const;

/** Where people see the job that this process is part of; undefined outside CI, or where nothing tells. */
export function ciRunUrl(env: OwnEnvironment): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env;
  const github = server && repository && id ? `${server}/${repository}/actions/runs/${id}` : undefined;
  const found = github ?? JOB_ADDRESSES.map((name) => env[name]).find((value) => value !== undefined);
  // An address with a user part may hold a password, and this one is shown to everybody.
  return found !== undefined && /^https?:\/\/[^@\s]+$/.test(found) ? found : undefined;
}
