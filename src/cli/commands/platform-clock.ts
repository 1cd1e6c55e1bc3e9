import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { member, textMember, type JsonObject } from '../../model/json.js';
import { durationText } from '../../report/duration.js';
import { connectPlatform } from '../platform-client.js';
import { printResult, type Terminal } from '../terminal.js';

/** Flags of `platform clock`; one change at a time. */
export interface ClockFlags {
  readonly advance?: string;
  readonly set?: string;
  readonly freeze?: boolean;
  readonly resume?: boolean;
  readonly format: 'text' | 'json';
}

/** An advance does what is due on the way, and a receiver may keep it waiting. */
const TIMEOUT_MS = 600_000;

/**
 * Says what time it is on the running platform, after changing it as the flags say.
 *
 * @throws PLATFORM_NOT_RUNNING, REMOTE_REFUSED, CLI_USAGE
 */
export async function platformClock(terminal: Terminal, flags: ClockFlags): Promise<ExitCode> {
  const { advance, set, freeze, resume } = flags;
  const changes: readonly JsonObject[] = [
    ...(advance === undefined ? [] : [{ advance }]),
    ...(set === undefined ? [] : [{ set }]),
    ...(freeze === true ? [{ freeze }] : []),
    ...(resume === true ? [{ resume }] : []),
  ];
  const [change, ...others] = changes;
  if (others.length > 0) throw new WindlassError('CLI_USAGE', 'The clock is changed in one way at a time.');
  const platform = await connectPlatform(terminal.cwd);
  const clock = await (change === undefined
    ? platform.call('GET', '/_platform/clock')
    : platform.call('POST', '/_platform/clock', change, TIMEOUT_MS));
  const ahead = Number(member(clock, 'ahead_ms') ?? 0);
  const frozen = member(clock, 'frozen') === true;
  const about = frozen
    ? 'it stands still'
    : Math.abs(ahead) < 1000
      ? 'real time'
      : `${durationText(ahead)} ahead`;
  const text = `${textMember(clock, 'now') ?? ''}  ${about}`;
  printResult(terminal, flags.format === 'json' ? JSON.stringify(clock, null, 2) : text);
  return EXIT.done;
}
