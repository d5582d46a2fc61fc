import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request as sendRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import type { ControlPlane } from '../../../tools/servers/controlPlane.ts';

export interface ProxiedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/** What becomes of a request instead of being passed on at once. */
export type Fault =
  /** Answered here; the API server never hears of it. */
  | { readonly status: number; readonly retryAfterSeconds: number }
  /** Passed on this much later. */
  | { readonly delayMs: number }
  /** Carried out by the API server, but the connection breaks before the answer comes. */
  | 'dropAnswer';

/** Stands before the API server as a plain HTTP server and misbehaves when told to. */
export class FaultProxy {
  /** Of the control plane, with this proxy as the server. */
  readonly kubeconfigPath: string;
  /** Every request that came, in order. */
  readonly requests: ProxiedRequest[] = [];
  /** Asked about every request; undefined lets it pass. */
  rule: ((request: ProxiedRequest) => Fault | undefined) | undefined;
  private readonly server: Server;
  private readonly target: URL;
  private readonly agent: Agent;
  private readonly ca: string;
  private readonly upgraded = new Set<Socket>();

  private constructor(options: { server: Server; target: URL; agent: Agent; ca: string; kubeconfigPath: string }) {
    this.server = options.server;
    this.target = options.target;
    this.agent = options.agent;
    this.ca = options.ca;
    this.kubeconfigPath = options.kubeconfigPath;
    this.server.on('request', (request, response) => void this.handle(request, response));
    this.server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      this.upgrade(request, socket);
    });
  }

  static async start(controlPlane: ControlPlane, directory: string): Promise<FaultProxy> {
    const ca = await readFile(controlPlane.apiServer.certificateFile, 'utf8');
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const kubeconfigPath = join(directory, 'kubeconfig-of-proxy');
    const config = parse(await readFile(controlPlane.kubeconfigPath, 'utf8')) as { clusters: { cluster: object }[] };
    for (const entry of config.clusters) entry.cluster = { server: `http://127.0.0.1:${port}` };
    await writeFile(kubeconfigPath, stringify(config), { mode: 0o600 });
    const agent = new Agent({ keepAlive: true, ca });
    return new FaultProxy({ server, target: new URL(controlPlane.url), agent, ca, kubeconfigPath });
  }

  async stop(): Promise<void> {
    this.server.close();
    this.cutUpgraded();
    this.server.closeAllConnections();
    this.agent.destroy();
    await once(this.server, 'close');
  }

  /** How often such a request came. */
  count(method: string, path: string): number {
    return this.requests.filter((request) => request.method === method && request.path === path).length;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const seen: ProxiedRequest = { method, path: url.split('?', 1)[0] ?? url };
    this.requests.push(seen);
    const fault = this.rule?.(seen);
    try {
      if (typeof fault === 'object' && 'status' in fault) {
        answer(response, fault.status, fault.retryAfterSeconds);
        return;
      }
      if (typeof fault === 'object') await sleep(fault.delayMs);
      await this.pass(request, response, fault === 'dropAnswer');
    } catch {
      // The API server is away: to the client that looks like this.
      request.socket.destroy();
    }
  }

  /** Cuts the connections of commands in pods, as a network does that fails. */
  cutUpgraded(): void {
    for (const socket of this.upgraded) socket.destroy();
  }

  /** WebSockets pass as they are. */
  private upgrade(request: IncomingMessage, socket: Socket): void {
    const { method = 'GET', url = '/', headers } = request;
    this.requests.push({ method, path: url.split('?', 1)[0] ?? url });
    const { hostname, port } = this.target;
    this.upgraded.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.upgraded.delete(socket));
    const sent = sendRequest({ ca: this.ca, hostname, port, method, path: url, headers, agent: false });
    sent.once('error', () => socket.destroy());
    sent.once('response', (answer) => {
      socket.write(`HTTP/1.1 ${answer.statusCode ?? 502} Refused\r\n${headerLines(answer)}\r\n`);
      answer.pipe(socket);
    });
    sent.once('upgrade', (answer, upstream, head) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headerLines(answer)}\r\n`);
      socket.write(head);
      upstream.on('error', () => socket.destroy());
      upstream.once('close', () => socket.destroy());
      socket.once('close', () => upstream.destroy());
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    sent.end();
  }

  private async pass(request: IncomingMessage, response: ServerResponse, drop: boolean): Promise<void> {
    const { method, url, headers } = request;
    const { hostname, port } = this.target;
    const sent = sendRequest({ agent: this.agent, hostname, port, method, path: url, headers });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    const [[answerOfServer]] = await Promise.all([answered, pipeline(request, sent)]);
    if (drop) {
      answerOfServer.resume();
      await once(answerOfServer, 'end');
      request.socket.destroy();
      return;
    }
    response.writeHead(answerOfServer.statusCode ?? 502, answerOfServer.headers);
    await pipeline(answerOfServer, response);
  }
}

function answer(response: ServerResponse, code: number, retryAfterSeconds: number): void {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the proxy of the tests refuses this request',
    reason: code === 429 ? 'TooManyRequests' : 'ServiceUnavailable',
    code,
  };
  response.writeHead(code, { 'content-type': 'application/json', 'retry-after': String(retryAfterSeconds) });
  response.end(JSON.stringify(status));
}

function headerLines({ rawHeaders }: IncomingMessage): string {
  let lines = '';
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    lines += `${rawHeaders[at] ?? ''}: ${rawHeaders[at + 1] ?? ''}\r\n`;
  return lines;
}
