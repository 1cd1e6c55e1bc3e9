import {
  forbiddenAddress,
  forbiddenVariable,
  isVariableName,
  type AddressUse,
  type Forbidden,
  type Permissions,
} from '../model/permissions.js';
import type { SecretSource } from '../model/value.js';
import { pathRefusal } from './files.js';
import { child, scalarOf, textOf, type PlanNode } from './node.js';
import type { Problems } from './problems.js';

/** What a reader of a plan needs to say that the plan reaches too far. */
export interface Reach {
  readonly problems: Problems;
  readonly permissions: Permissions;
}

/**
 * `{env: NAME}` or `{file: path}`; undefined for everything else. The one place where a plan gets at variables and secret
 * files: what it may not read is reported, and nothing is read here.
 */
export function secretSource(node: PlanNode | undefined, reach: Reach): SecretSource | undefined {
  const env = scalarOf(child(node, 'env'));
  if (env !== undefined) {
    // What is no name was reported against the schema.
    const forbidden = isVariableName(env.text) ? forbiddenVariable(env.text, reach.permissions) : undefined;
    if (forbidden) reach.problems.report({ code: 'PLAN_VARIABLE_FORBIDDEN', at: env.span, ...forbidden });
    return { env: env.text };
  }
  const file = child(node, 'file');
  const path = secretPath(file, reach);
  return path === undefined ? undefined : { file: path };
}

/** The path of a secret file; one that no plan may read is reported. */
export function secretPath(node: PlanNode | undefined, reach: Reach): string | undefined {
  const scalar = scalarOf(node);
  if (scalar === undefined) return undefined;
  const forbidden = forbiddenSecretFile(scalar.text, reach.permissions);
  if (forbidden) reach.problems.report({ code: 'PLAN_FILE_OUTSIDE', at: scalar.span, ...forbidden });
  return scalar.text;
}

/** The address of a server; one that a plan may not name is reported. */
export function readAddressOfServer(
  node: PlanNode | undefined,
  use: AddressUse,
  { problems, permissions }: Reach,
): string | undefined {
  const scalar = scalarOf(node);
  if (scalar === undefined) return undefined;
  // What does not begin so was reported against the schema.
  const forbidden = /^https?:\/\/[^\s/]/.test(scalar.text)
    ? forbiddenAddress(scalar.text, use, permissions)
    : undefined;
  if (forbidden) problems.report({ code: 'PLAN_URL_FORBIDDEN', at: scalar.span, ...forbidden });
  return textOf(node);
}

/**
 * Why a secret cannot stand in a file of this name; undefined when it may. A relative path means a file in
 * `WINDLASS_SECRETS_DIR`, when there is one of that name, else beside the plan; an absolute one has to lie in that folder.
 */
export function forbiddenSecretFile(path: string, { secretsDir }: Permissions): Forbidden | undefined {
  const refusal = pathRefusal(path);
  if (refusal === undefined || (refusal === 'outside' && isInside(path, secretsDir))) return undefined;
  return {
    message:
      refusal === 'private'
        ? `"${path}" lies among the files of Git or Windlass, which hold tokens: no plan may read them.`
        : `"${path}" lies neither in the plan's folder nor in WINDLASS_SECRETS_DIR.`,
    fix: 'Name a file beside the plan, or let the operator set WINDLASS_SECRETS_DIR to the folder that holds it.',
  };
}

function isInside(path: string, folder: string | undefined): boolean {
  if (folder === undefined) return false;
  const [given, base] = [path, folder].map((each) => each.replaceAll('\\', '/').replace(/\/+$/, ''));
  return (
    given?.startsWith(`${base ?? ''}/`) === true && !given.split('/').includes('..') && !given.includes('\0')
  );
}
