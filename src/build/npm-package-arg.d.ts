/** The part of npm's reading of a specification that is used here; the package brings no types. */
declare module 'npm-package-arg' {
  interface Spec {
    readonly type: 'git' | 'tag' | 'version' | 'range' | 'file' | 'directory' | 'remote' | 'alias';
    readonly name: string | null;
    readonly fetchSpec: string | null;
    readonly subSpec?: Spec;
  }
  const npa: { resolve(name: string, wanted: string, where: string): Spec };
  export = npa;
}
