const WINDOW_MS = 15_000;
/** Less would be noise. */
const LEAST_SPAN_MS = 1_000;

/** How fast a restore goes at present: items a second over the last 15 seconds. */
export class RateMeter {
  private samples: { readonly at: number; readonly done: number }[] = [];

  /** @param at milliseconds, never falling. */
  add(at: number, done: number): void {
    this.samples.push({ at, done });
    // One sample beyond the window stays, so that the whole window is measured.
    while (this.samples.length > 2 && (this.samples[1]?.at ?? at) < at - WINDOW_MS) this.samples.shift();
  }

  /** Items a second; undefined while there is nothing to measure. */
  get perSecond(): number | undefined {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < LEAST_SPAN_MS) return undefined;
    return Math.max(0, ((last.done - first.done) * 1_000) / (last.at - first.at));
  }

  /** Seconds until `total` are done at the present rate; undefined where that cannot be told. */
  secondsTo(total: number): number | undefined {
    const rate = this.perSecond;
    const done = this.samples.at(-1)?.done ?? 0;
    if (rate === undefined || rate <= 0 || total <= done) return undefined;
    return (total - done) / rate;
  }
}
