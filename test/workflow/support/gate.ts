import { setTimeout as sleep } from 'node:timers/promises';

/** Holds activities back until a test has seen what it wanted to see. */
export class Gate {
  private readonly opened: Promise<void>;
  private release: () => void = () => undefined;
  private waiting = 0;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  /** How many have come to the gate. */
  get arrived(): number {
    return this.waiting;
  }

  async pass(): Promise<void> {
    this.waiting += 1;
    await this.opened;
  }

  open(): void {
    this.release();
  }
}

/** Asks until the answer is yes. @throws Error after a minute */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    if (await isSo()) return;
    await sleep(20);
  }
  throw new Error(`did not come to pass within a minute: ${what}`);
}
