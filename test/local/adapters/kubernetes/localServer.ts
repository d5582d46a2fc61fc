import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What came in, in order. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface LocalServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** All connections that were ever opened. */
  readonly connections: number;
  close(): Promise<void>;
}

export type Answer = (request: SeenRequest, response: ServerResponse, index: number) => void | Promise<void>;

/** An HTTP server of this process; `index` counts the requests from 0. */
export async function startLocalServer(answer: Answer): Promise<LocalServer> {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener: RequestListener = (incoming, response) => {
    void text(incoming).then(async (body) => {
      const request = { method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body };
      await answer(request, response, seen.push(request) - 1);
    });
  };
  const server = createServer(listener);
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers with JSON. */
export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A folder that is removed by `remove`. */
export interface TemporaryFolder {
  readonly path: string;
  write(name: string, content: string, mode?: number): Promise<string>;
  remove(): Promise<void>;
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'durable-restore-test-'));
  return {
    path,
    async write(name, content, mode = 0o600) {
      const file = join(path, name);
      await writeFile(file, content, { mode });
      return file;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

export interface KubeconfigParts {
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
}

/** Text of a kubeconfig with one context. */
export function kubeconfigFor(server: string, { cluster = {}, user = {} }: KubeconfigParts = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'cluster', cluster: { server, ...cluster } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'test', context: { cluster: 'cluster', user: 'user' } }],
  });
}
