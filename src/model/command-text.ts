/** Commands about one environment of a plan that a sentence names in backquotes and without an environment. */
const COMMANDS =
  /`windlass (adopt|apply|attest|doctor|listen|outputs|plan|resolve|status|unlock|validate|verify)(?=[ `])(?![^`]*--env)/g;

/** Those that take a plan as their first argument; the others begin with a step or an id. */
const PLAN_FIRST = new Set(['apply', 'attest', 'doctor', 'outputs', 'plan', 'status', 'unlock', 'verify']);

/**
 * A sentence whose commands can be pasted as they are: `windlass unlock` says which plan and environment it means. What
 * is local, or says it already, stays as it is.
 *
 * @param place environment and plan, each as one word of a shell; undefined where the default is meant
 */
export function withPlace(
  sentence: string,
  place: { readonly environment?: string | undefined; readonly plan?: string | undefined },
): string {
  const { environment, plan } = place;
  if (environment === undefined && plan === undefined) return sentence;
  return sentence.replaceAll(COMMANDS, (found, command: string) =>
    [
      found,
      ...(plan !== undefined && PLAN_FIRST.has(command) ? [plan] : []),
      ...(environment === undefined ? [] : ['--env', environment]),
    ].join(' '),
  );
}
