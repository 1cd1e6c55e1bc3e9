/**
 * Every environment variable that Windlass reads for itself. No plan may name one of them, whatever the operator lists:
 * they hold keys of the operator, or steer what the plan is allowed to do. The types let nothing be read that is missing here.
 */
const OWN_VARIABLES = [
  // What a plan may do.
  'WINDLASS_ALLOW_ENV',
  'WINDLASS_ALLOW_HTTP',
  'WINDLASS_ALLOW_ORIGIN',
  'WINDLASS_ALLOW_PACKAGES',
  'WINDLASS_SECRETS_DIR',
  // Keys and tokens.
  'WINDLASS_ATTEST_KEY',
  'WINDLASS_ATTEST_PUBLIC_KEY',
  'WINDLASS_DATABASE_PASSWORD',
  'WINDLASS_FUNDER_KEY',
  'WINDLASS_PLATFORM_KEK',
  'WINDLASS_REGISTRY_TOKEN',
  // Places and switches.
  'WINDLASS_CACHE_BYTES',
  'WINDLASS_CACHE_DIR',
  'WINDLASS_DEBUG',
  'WINDLASS_FAILPOINT',
  'WINDLASS_REGISTRY',
  'WINDLASS_REGISTRY_PROXY',
  'WINDLASS_REGISTRY_TARBALLS',
  'WINDLASS_TRUTH',
  // Of the terminal, the system and Node.
  'ACCESSIBLE',
  'CI',
  'FORCE_COLOR',
  'HOME',
  'LANG',
  'LC_ALL',
  'NODE_ENV',
  'NO_COLOR',
  'PATH',
  'TERM',
  // Of CI systems and traces.
  'BUILDKITE_BUILD_URL',
  'BUILD_URL',
  'CIRCLE_BUILD_URL',
  'CI_JOB_URL',
  'GITHUB_REPOSITORY',
  'GITHUB_RUN_ID',
  'GITHUB_SERVER_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_SDK_DISABLED',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_EXPORTER',
  'TRACEPARENT',
  'TRACESTATE',
] as const;

/** A variable that Windlass reads for itself. */
export type OwnVariable = (typeof OWN_VARIABLES)[number];

/** The environment as Windlass reads it for itself: a variable that is not in the list cannot be asked for. */
export type OwnEnvironment = { readonly [Name in OwnVariable]?: string | undefined };

/** Variables that are Windlass' own by how their names begin: its own, and those that it hands to Git and OpenTelemetry. */
const OWN_PREFIXES = ['WINDLASS_', 'GIT_', 'OTEL_'] as const;

/** Variables that begin so are meant for plans. */
export const PLAN_PREFIX = 'WINDLASS_VAR_';

const OWN: ReadonlySet<string> = new Set(OWN_VARIABLES);

/** True for a variable that Windlass reads for itself, in any capitals: some systems do not tell them apart. */
export function isOwnVariable(name: string): boolean {
  const known = name.toUpperCase();
  if (known.startsWith(PLAN_PREFIX)) return false;
  return OWN.has(known) || OWN_PREFIXES.some((prefix) => known.startsWith(prefix));
}
