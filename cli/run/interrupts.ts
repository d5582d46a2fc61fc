/** Pressed again within this time, Ctrl-C cancels. */
export const CANCEL_WINDOW_MS = 3_000;

export type Interruption = 'pause' | 'cancel';

/**
 * What Ctrl-C means to `run` (design §6): the first one pauses the restore, a second within three seconds cancels it. A later one
 * changes nothing.
 */
export class InterruptRule {
  private firstAt: number | undefined;
  private cancelled = false;

  /** @param now milliseconds. @returns what this one asks for; undefined where it changes nothing. */
  press(now: number): Interruption | undefined {
    if (this.firstAt === undefined) {
      this.firstAt = now;
      return 'pause';
    }
    if (this.cancelled || now - this.firstAt > CANCEL_WINDOW_MS) return undefined;
    this.cancelled = true;
    return 'cancel';
  }
}

/** The signals that end this process, as requests to the running command. */
export interface Interrupts {
  /** Resolves at the first request. */
  readonly paused: Promise<void>;
  /** Resolves when the restore is to be cancelled. */
  readonly cancelled: Promise<void>;
  /** Whether there is still time to cancel: false for SIGTERM and SIGHUP, which nobody will repeat. */
  readonly mayCancel: boolean;
  readonly requested: boolean;
  /** Signals have their usual effect again. */
  stop(): void;
}

/** @param onPause called at once, to tell the person at the keyboard. */
export function watchInterrupts(onPause: (mayCancel: boolean) => void): Interrupts {
  const rule = new InterruptRule();
  const state = { requested: false, mayCancel: false };
  let resolvePaused: () => void = () => undefined;
  let resolveCancelled: () => void = () => undefined;
  const paused = new Promise<void>((resolve) => {
    resolvePaused = resolve;
  });
  const cancelled = new Promise<void>((resolve) => {
    resolveCancelled = resolve;
  });
  const pause = (mayCancel: boolean): void => {
    state.requested = true;
    state.mayCancel = mayCancel;
    onPause(mayCancel);
    resolvePaused();
  };
  const onInterrupt = (): void => {
    const asked = rule.press(Date.now());
    if (asked === 'pause') pause(true);
    if (asked === 'cancel') resolveCancelled();
  };
  const onTerminate = (): void => {
    if (rule.press(Date.now()) === 'pause') pause(false);
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onTerminate);
  return {
    paused,
    cancelled,
    get mayCancel() {
      return state.mayCancel;
    },
    get requested() {
      return state.requested;
    },
    stop: () => {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
      process.off('SIGHUP', onTerminate);
    },
  };
}
