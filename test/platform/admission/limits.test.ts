import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { platformSwitches } from '../../../src/cli/platform-switches.js';
import { LIMIT_NAMES, limitsOf } from '../../../src/platform/admission/limits.js';
import { BODY_BYTES, bodyLimit, LARGE_BODY_BYTES } from '../../../src/platform/bodies/body-limits.js';

const PAGE = readFileSync(new URL('../../../docs/hosting.md', import.meta.url), 'utf8');

function shown(value: number): string {
  return value === Infinity ? '–' : value.toLocaleString('en-US');
}

describe('the limits of a platform', () => {
  it.each(LIMIT_NAMES)('%s: is a switch, and stands with its defaults on the page about hosting', (name) => {
    expect(platformSwitches([`${name}=7`])).toEqual({ limits: { [name]: 7 } });
    const row = PAGE.split('\n').find((line) => line.startsWith(`| \`${name}\` `));
    const cells = row?.split('|').map((cell) => cell.trim());
    // How many calls run at a time depends on the machine.
    const hosted = name === 'callsAtATime' ? '1 to 4' : shown(limitsOf({}, true)[name]);
    expect(cells?.slice(2, 4)).toEqual([hosted, shown(limitsOf({}, false)[name])]);
  });

  it('of bodies stand on that page, too', () => {
    const bytes = [
      BODY_BYTES,
      LARGE_BODY_BYTES,
      bodyLimit('audit.record.create'),
      bodyLimit('version.deploy'),
      bodyLimit('version.create'),
      bodyLimit('certificate.mint'),
      bodyLimit('certificate.mint-small'),
      bodyLimit('certificate.mint-medium'),
      bodyLimit('certificate.mint-large'),
    ];
    expect(bytes.map(shown).filter((text) => !PAGE.includes(`| ${text} `))).toEqual([]);
  });

  it('let one organisation have no more than a part of what all share', () => {
    const limits = limitsOf({}, true);
    expect(limits.bytesInFlightPerOrganisation).toBeLessThan(limits.bytesInFlight);
    expect(limits.waitingPerOrganisation).toBeLessThan(limits.waiting);
    expect(limits.batchCalls).toBeLessThanOrEqual(limits.requestsPerMinute);
    expect(limits.bytesInFlightPerOrganisation).toBeGreaterThan(bodyLimit('certificate.mint-large'));
  });
});
