import { createServer, type Server } from 'node:http';
import type { Worker } from '@temporalio/worker';

export class InvalidHealthAddress extends Error {
  readonly type = 'InvalidHealthAddress';
}

/** @throws InvalidHealthAddress */
export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  const port = Number(address.slice(colon + 1));
  if (colon < 0 || !Number.isInteger(port) || port < 0 || port > 65_535 || address.slice(colon + 1) === '') {
    throw new InvalidHealthAddress(`health address: expected host:port, got ${JSON.stringify(address)}`);
  }
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, '') || '0.0.0.0', port };
}

/**
 * Serves `/healthz` (the process is not broken: a failed worker needs a restart) and `/readyz` (the worker takes work), for
 * Kubernetes probes.
 */
export async function startHealthServer(address: string, worker: Worker): Promise<Server> {
  const { host, port } = parseAddress(address);
  const server = createServer((request, response) => {
    const state = worker.getState();
    const path = request.url?.split('?', 1)[0];
    if (path !== '/healthz' && path !== '/readyz') {
      response.writeHead(404).end('not found\n');
      return;
    }
    const good = path === '/healthz' ? state !== 'FAILED' : state === 'RUNNING';
    response.writeHead(good ? 200 : 503, { 'content-type': 'text/plain' }).end(`${state.toLowerCase()}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}
