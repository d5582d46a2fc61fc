import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { ServerStartFailed } from './process.ts';

/**
 * Below the range from which systems take the local ports of outgoing connections (Linux 32768, macOS 49152 and up):
 * otherwise a busy client could take a port between our look and the server's start, or while a server restarts.
 */
const lowest = 20_000;
const highest = 32_000;

/** Ports given out by this process: a server needs a moment until it listens. */
const given = new Set<number>();

/**
 * A TCP port of 127.0.0.1 on which nobody listens now, different on each call.
 * @throws Error when none is found
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(lowest, highest);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free TCP port found between ${lowest} and ${highest}`);
}

/** Whether nobody listens on that port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => {
      resolve(false);
    });
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      probe.close(() => {
        resolve(true);
      });
    });
  });
}

/**
 * Starts something that listens on free ports; when another process took one of them in between, does it again with
 * other ports. Ports that the caller fixed are left alone.
 * @param fixed the port to use for each listener, undefined for a free one
 */
export async function withFreePorts<T>(
  fixed: readonly (number | undefined)[],
  start: (ports: readonly number[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const ports = await Promise.all(fixed.map(async (port) => port ?? (await freePort())));
    try {
      return await start(ports);
    } catch (error) {
      const mayRetry = attempt < 3 && fixed.includes(undefined);
      if (!mayRetry || !(error instanceof ServerStartFailed) || !error.portTaken) throw error;
    }
  }
}
