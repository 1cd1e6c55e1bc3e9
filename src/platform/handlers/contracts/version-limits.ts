/** What versions of one organisation may take of a platform that others use too. */
export interface VersionLimits {
  /** Versions of one organisation that may wait to be compiled. */
  readonly waiting: number;
  /** Sources of one version. */
  readonly sources: number;
  /** Bytes of the sources of one version. */
  readonly sourceBytes: number;
  /** Seconds that one compilation gets. */
  readonly seconds: number;
}

const MEBIBYTE = 1024 * 1024;

/** Of a platform on loopback: its one user waits for nobody but themselves. */
export const LOCAL_VERSIONS: VersionLimits = {
  waiting: 20_000,
  sources: 2000,
  sourceBytes: 32 * MEBIBYTE,
  seconds: 120,
};

/** Of a hosted platform, unless its operator says otherwise; large published protocols stay well below. */
export const HOSTED_VERSIONS: VersionLimits = {
  waiting: 25,
  sources: 300,
  sourceBytes: 4 * MEBIBYTE,
  seconds: 40,
};
