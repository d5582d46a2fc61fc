import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connectTemporal, TemporalUnreachable } from '../../../client/index.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Takes connections and does what it is told with them. */
async function listen(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closedPort(): Promise<string> {
  const address = await listen(() => undefined);
  const server = servers.pop();
  server?.close();
  if (server !== undefined) await once(server, 'close');
  return address;
}

async function connecting(address: string, more: object = {}): Promise<unknown> {
  return connectTemporal({ address, namespace: 'default', ...more }, 2_500).then(
    () => 'connected',
    (error: unknown) => error,
  );
}

describe('connectTemporal', () => {
  it('names the address on which nothing listens', async () => {
    const address = await closedPort();
    const error = await connecting(address);
    expect(error).toBeInstanceOf(TemporalUnreachable);
    expect(error).toMatchObject({ type: 'TemporalUnreachable', address });
    expect(String(error)).toContain(
      `Temporal server ${address} cannot be reached: connection refused, nothing listens there`,
    );
  });

  it('gives up on a server that never says a word', async () => {
    const error = await connecting(await listen(() => undefined));
    expect(String(error)).toContain('did not answer as a Temporal server (asked without TLS)');
  });

  it('gives up on a server that speaks something else', async () => {
    const address = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(String(await connecting(address, { tls: true }))).toContain('(asked with TLS)');
  });
});
