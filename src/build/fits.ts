import type { Published } from './registry.js';
import type { RegistrySpec } from './spec.js';

/** Whether a package that is there already is what a dependency asks for. A tag moves, so that it never is. */
export async function fits(there: Published, { name, wanted, type }: RegistrySpec): Promise<boolean> {
  if (there.name !== name || type === 'tag') return false;
  const { default: pickManifest } = await import('npm-pick-manifest');
  const { version } = there;
  const only = { name, versions: { [version]: { name, version } }, 'dist-tags': {} };
  try {
    return pickManifest(only, wanted, { nodeVersion: null }).version === version;
  } catch {
    // Nothing of this list fits.
    return false;
  }
}
