import { member, type Json } from '../../model/json.js';
import type { ClockSetting } from '../clock.js';
import type { Reader, Records } from './records.js';

const KEY = 'clock';

/** How the platform's clock stood when it was last set; undefined: it was never set. Kept with what it dates. */
export async function savedClock(reader: Reader): Promise<ClockSetting | undefined> {
  const row = await reader.first<{ value: string }>('SELECT value FROM meta WHERE key = ?', [KEY]);
  const value = row && (JSON.parse(row.value) as Json);
  const frozenAt = member(value, 'frozenAt');
  const ahead = member(value, 'ahead');
  if (typeof frozenAt === 'number') return { frozenAt };
  return typeof ahead === 'number' ? { ahead } : undefined;
}

/** Keeps how the clock stands. */
export async function saveClock(records: Records, setting: ClockSetting): Promise<void> {
  const sql = 'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = ?';
  const value = JSON.stringify(setting);
  await records.transact((writer) => writer.run(sql, [KEY, value, value]));
}
