import type { Json } from '../../model/json.js';
import type { Records, Reader, TableGroup, Writer } from '../state/records.js';
import type { RuleInForce } from './decisions.js';
import { readRules, ruleJson } from './rule-reader.js';
import { faultJson } from './rules.js';

/** Table of the rules that organisations have set, in their order, with how often each was matched and fired. */
export const FAULT_TABLES: TableGroup = {
  name: 'faults',
  statements: [
    `CREATE TABLE IF NOT EXISTS fault_rules (
      org TEXT NOT NULL, name TEXT NOT NULL, place INTEGER NOT NULL, seed INTEGER NOT NULL, rule TEXT NOT NULL,
      matched INTEGER NOT NULL, fired INTEGER NOT NULL, PRIMARY KEY (org, name))`,
  ],
};

/** What one organisation has set. */
export interface KeptRules {
  readonly seed: number;
  readonly rules: readonly RuleInForce[];
}

/** Keeps rules and their counts beyond the end of the platform, however it ends. */
export interface RuleKeeper {
  /** Keeps what an organisation has set now, in place of what it had set; undefined: nothing. */
  keep(owner: string, rules: () => KeptRules | undefined): Promise<void>;
  /** Keeps how often rules were matched and fired. */
  count(owner: string, rules: readonly RuleInForce[]): Promise<void>;
}

/** A keeper in the records. */
export function ruleKeeper(records: Records): RuleKeeper {
  return {
    keep: (owner, rules) => records.transact((writer) => replace(writer, owner, rules())),
    count: (owner, rules) =>
      records.transact(async (writer) => {
        const sql = 'UPDATE fault_rules SET matched = ?, fired = ? WHERE org = ? AND name = ?';
        for (const { name, matched, fired } of rules) await writer.run(sql, [matched, fired, owner, name]);
      }),
  };
}

async function replace(writer: Writer, owner: string, kept: KeptRules | undefined): Promise<void> {
  await writer.run('DELETE FROM fault_rules WHERE org = ?', [owner]);
  for (const [place, { name, rule, matched, fired }] of (kept?.rules ?? []).entries()) {
    const text = JSON.stringify(ruleJson({ ...rule, name }, faultJson(rule.fault)));
    await writer.run(
      'INSERT INTO fault_rules (org, name, place, seed, rule, matched, fired) VALUES (?, ?, ?, ?, ?, ?, ?)',
      [owner, name, place, kept?.seed ?? 0, text, matched, fired],
    );
  }
}

interface RuleRow {
  readonly org: string;
  readonly name: string;
  readonly seed: number;
  readonly rule: string;
  readonly matched: number;
  readonly fired: number;
}

/** What every organisation had set when the platform ended. @throws Error when a rule cannot be read any more */
export async function keptRules(reader: Reader): Promise<ReadonlyMap<string, KeptRules>> {
  const rows = await reader.all<RuleRow>(
    'SELECT org, name, seed, rule, matched, fired FROM fault_rules ORDER BY org, place',
  );
  const kept = new Map<string, { readonly seed: number; readonly rules: RuleInForce[] }>();
  for (const { org, name, seed, rule: text, matched, fired } of rows) {
    const read = readRules({ windlass_faults: 1, rules: [JSON.parse(text) as Json] });
    const rule = read.ok ? read.rules.rules[0] : undefined;
    if (!rule) throw new Error(`the fault rule ${name} of ${org} that was kept cannot be read`);
    const of = kept.get(org) ?? { seed, rules: [] };
    of.rules.push({ name, rule, matched, fired });
    kept.set(org, of);
  }
  return kept;
}
