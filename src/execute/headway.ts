/** How far a run is, and what ends it. */
export class Headway {
  /** Steps under way, and requests whose answer is not recorded yet. */
  under = 0;
  writing = 0;
  /** Nothing more is sent. */
  stopped = false;
  /** A stopped run has waited long enough for outcomes. */
  drained = false;
  /** What a port threw. */
  broken: { readonly thrown: unknown } | undefined;
  #end: () => void = () => undefined;

  /** True when nothing more may begin. */
  get isEnding(): boolean {
    return this.stopped || this.broken !== undefined;
  }

  /** A run that is drained or broken waits for answers alone. */
  get isOver(): boolean {
    return (this.broken === undefined && !this.drained ? this.under : this.writing) === 0;
  }

  /** Resolves when it is over. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve;
      this.check();
    });
  }

  /** Tells who waits for the end when it has come. */
  check(): void {
    if (this.isOver) this.#end();
  }

  /** The answer of a request is recorded. */
  written(): void {
    this.writing -= 1;
    this.check();
  }
}
