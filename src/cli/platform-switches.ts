import { WindlassError } from '../model/error.js';
import { LIMIT_NAMES } from '../platform/admission/limits.js';
import type { PlatformOptions } from '../platform/platform.js';
import { CAPABILITIES, type Capability } from '../protocol/endpoint.js';

type Switched = Partial<PlatformOptions>;

/** What each switch makes of its value; undefined: it takes no such value. */
const SWITCHES: Readonly<Record<string, (value: string) => Switched | undefined>> = {
  capabilities: (value) => {
    const names = value === 'none' ? [] : value === 'all' ? CAPABILITIES : value.split(',');
    const known = CAPABILITIES.filter((name) => (names as readonly string[]).includes(name));
    return known.length === names.length
      ? { capabilities: known satisfies readonly Capability[] }
      : undefined;
  },
  refusals: (value) => (value === 'status' || value === 'envelope' ? { refusals: value } : undefined),
  redelivery: (value) =>
    value === 'until-acknowledged' || value === 'once' || value === 'four-times'
      ? { redelivery: value }
      : undefined,
  allowRedeploy: (value) => yesOrNo(value, (allowRedeploy) => ({ allowRedeploy })),
  listPartialDeployment: (value) => yesOrNo(value, (listPartialDeployment) => ({ listPartialDeployment })),
  faultControls: (value) => yesOrNo(value, (faultControls) => ({ faultControls })),
  maxOrganisationWallets: (value) =>
    wholeNumber(value, (maxOrganisationWallets) => ({ maxOrganisationWallets })),
  compiling: (value) => ({ statusWords: { compiling: value } }),
  compiled: (value) => ({ statusWords: { compiled: value } }),
  compile_failed: (value) => ({ statusWords: { compile_failed: value } }),
  deploying: (value) => ({ statusWords: { deploying: value } }),
  ...Object.fromEntries(LIMIT_NAMES.map((name) => [name, (value: string) => limitOf(name, value)])),
};

/**
 * Options of the platform from `name=value` pairs, as `platform start --switch` takes them. What each means stands in
 * `src/platform/PARITY.md`.
 *
 * @throws CLI_USAGE naming the switches there are, or the one with a value that it does not take
 */
export function platformSwitches(pairs: readonly string[]): Switched {
  return pairs.reduce<Switched>((options, pair) => {
    const [name = '', ...rest] = pair.split('=');
    const read = Object.hasOwn(SWITCHES, name) ? SWITCHES[name] : undefined;
    if (!read) {
      const names = Object.keys(SWITCHES).join(', ');
      throw new WindlassError('CLI_USAGE', `${name} is no switch of the platform. There are: ${names}.`);
    }
    const value = rest.join('=');
    const switched = value === '' ? undefined : read(value);
    if (!switched) throw new WindlassError('CLI_USAGE', `The switch ${name} takes no value "${value}".`);
    const statusWords = { ...options.statusWords, ...switched.statusWords };
    const limits = { ...options.limits, ...switched.limits };
    return {
      ...options,
      ...switched,
      ...(Object.keys(statusWords).length > 0 && { statusWords }),
      ...(Object.keys(limits).length > 0 && { limits }),
    };
  }, {});
}

function yesOrNo(value: string, option: (on: boolean) => Switched): Switched | undefined {
  return value === 'yes' || value === 'no' ? option(value === 'yes') : undefined;
}

function limitOf(name: string, value: string): Switched | undefined {
  return /^[1-9]\d{0,14}$/.test(value) ? { limits: { [name]: Number(value) } } : undefined;
}

function wholeNumber(value: string, option: (number: number) => Switched): Switched | undefined {
  return /^[1-9]\d{0,8}$/.test(value) ? option(Number(value)) : undefined;
}
