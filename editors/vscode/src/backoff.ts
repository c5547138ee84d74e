// How long to wait before a server that crashed is started again.

const windowMs = 3 * 60_000;
const crashLimit = 6;
const longestWaitMs = 15_000;

export class Backoff {
  private crashes: number[] = [];

  /** At once after the first crash, then 1, 2, 4... seconds; undefined when it has crashed too often lately. */
  next(now: number): number | undefined {
    this.crashes = this.crashes.filter((time) => now - time < windowMs);
    this.crashes.push(now);
    const count = this.crashes.length;
    if (count >= crashLimit)
      return undefined;
    return count === 1 ? 0 : Math.min(1000 * 2 ** (count - 2), longestWaitMs);
  }

  /** Somebody asked for a start: what was before does not count. */
  forget(): void {
    this.crashes = [];
  }
}
