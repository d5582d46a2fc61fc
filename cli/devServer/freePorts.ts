import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { CommandError } from '../commandError.ts';

/** Below the ranges from which systems take the ports of outgoing connections (Linux 32768, macOS 49152 and up). */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/**
 * Ports of 127.0.0.1 on which nobody listens now.
 * @param wanted taken where they are free, so that links keep working.
 */
export async function freePorts(count: number, wanted: readonly number[] = []): Promise<number[]> {
  const ports: number[] = [];
  for (let position = 0; position < count; position++) {
    const preferred = wanted[position];
    const keep = preferred !== undefined && !ports.includes(preferred) && (await isFree(preferred));
    ports.push(keep ? preferred : await anyFreePort(ports));
  }
  return ports;
}

async function anyFreePort(taken: readonly number[]): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!taken.includes(port) && (await isFree(port))) return port;
  }
  throw new CommandError('NoFreePort', `no free TCP port found between ${LOWEST} and ${HIGHEST}`);
}

function isFree(port: number): Promise<boolean> {
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
