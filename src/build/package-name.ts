/** A package as `packages[]` names it: a name, and a version, range or tag. Addresses and paths are none. */
export const PACKAGE_SPEC: RegExp =
  /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*(@[A-Za-z0-9.^~+*-]+)?$/;
