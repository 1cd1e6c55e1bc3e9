import { WindlassError } from '../model/error.js';
import type { ResourceId } from '../model/id.js';
import { member, textMember, type Json } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import type { AnyResource, PackageInput } from '../model/resource.js';

/** Looks a package up: an exact version gets its integrity, anything else the newest version that fits. */
export type ResolvePackage = (spec: string) => Promise<PackageInput>;

/**
 * A plan whose packages are pinned. What the lock pinned for a version stays pinned as long as the plan's text admits
 * it, so that a bare name does not move on by itself, and is what the registry still has; all else is looked up, each once.
 *
 * @param locked outputs of a resource in the lock: `packages` maps `name@version` to its integrity
 */
export async function pinPackages(
  plan: Plan,
  locked: (id: ResourceId) => Json | undefined,
  resolve: ResolvePackage,
): Promise<Plan> {
  const asked = new Map<string, Promise<PackageInput>>();
  const once = (spec: string): Promise<PackageInput> => {
    const known = asked.get(spec) ?? resolve(spec);
    asked.set(spec, known);
    return known;
  };
  const pinned = plan.resources.map(async (resource): Promise<AnyResource> => {
    if (resource.kind !== 'version' || resource.inputs.packages.length === 0) return resource;
    const pins = lockedPins(locked(resource.id));
    const packages = resource.inputs.packages.map(async (wanted) => {
      const kept = pins.find((pin) => admits(wanted, pin));
      return kept ? agreed(kept, once) : once(specOf(wanted));
    });
    return { ...resource, inputs: { ...resource.inputs, packages: await Promise.all(packages) } };
  });
  return { ...plan, resources: await Promise.all(pinned) };
}

/**
 * A pin of the lock, which the registry must still agree with. What cannot be looked up does not count against it: the
 * version may be deployed long since.
 *
 * @throws PACKAGE_REFUSED when the registry has another one
 */
async function agreed(pin: PackageInput, resolve: ResolvePackage): Promise<PackageInput> {
  if (pin.integrity === undefined) return pin;
  const now = await resolve(specOf(pin)).catch((cause: unknown) => {
    if (cause instanceof WindlassError) return pin;
    throw cause;
  });
  if (now.integrity === undefined || now.integrity === pin.integrity) return pin;
  throw new WindlassError(
    'PACKAGE_REFUSED',
    `The registry has another ${specOf(pin)} than the lockfile pins.`,
    {
      advice:
        'Find out who changed it: a published version never changes. Name another version once you know.',
    },
  );
}

/** `name@version`, or the bare name. */
export function specOf({ name, version }: PackageInput): string {
  return version === undefined ? name : `${name}@${version}`;
}

/** True when the plan's text fits a pin: the same version, a part of it (`5`, `5.0`), or none given. */
function admits(wanted: PackageInput, pin: PackageInput): boolean {
  if (wanted.name !== pin.name) return false;
  return (
    wanted.version === undefined ||
    pin.version === wanted.version ||
    pin.version?.startsWith(`${wanted.version}.`) === true
  );
}

function lockedPins(outputs: Json | undefined): readonly PackageInput[] {
  const pins = member(outputs, 'packages');
  if (typeof pins !== 'object' || pins === null || Array.isArray(pins)) return [];
  return Object.keys(pins).flatMap((spec) => {
    const at = spec.lastIndexOf('@');
    const integrity = textMember(pins, spec);
    return at < 1
      ? []
      : [
          {
            name: spec.slice(0, at),
            version: spec.slice(at + 1),
            ...(integrity !== undefined && { integrity }),
          },
        ];
  });
}
