/** The part of npm's choice of a version that is used here; the package brings no types. */
declare module 'npm-pick-manifest' {
  interface Manifest {
    readonly name: string;
    readonly version: string;
  }
  function pickManifest<M extends Manifest>(
    packument: {
      readonly name: string;
      readonly versions: Readonly<Record<string, M>>;
      readonly 'dist-tags': Readonly<Record<string, string>>;
    },
    wanted: string,
    options: { readonly nodeVersion: null },
  ): M;
  export = pickManifest;
}
