import type { NamedRule, Rules } from './decisions.js';
import type { FaultRule, FaultRules } from './rules.js';

/** Why rules are not taken. */
export class RuleRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RuleRefused';
  }
}

/** Looks whether rules may be in force beside those that are. @throws RuleRefused */
export function checkBeside(before: Rules, { seed, rules }: FaultRules): void {
  if (seed !== undefined && seed !== before.seed)
    throw new RuleRefused('Rules are in force with another seed: clear them first.');
  const taken = new Set(before.rules().map(({ name }) => name));
  const twice = rules.find(({ name }) => name !== undefined && taken.has(name));
  if (twice) throw new RuleRefused(`A rule ${twice.name ?? ''} is in force already.`);
}

/** Rules with a name each: those without one are called by the next number that is free. */
export function named(rules: readonly FaultRule[], decider: Rules): readonly NamedRule[] {
  const taken = new Set([...decider.rules(), ...rules].map(({ name }) => name));
  let number = 0;
  const free = (): string => {
    do number += 1;
    while (taken.has(`rule-${String(number)}`));
    return `rule-${String(number)}`;
  };
  return rules.map((rule) => ({ ...rule, name: rule.name ?? free() }));
}
