import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** An HTTP server that notes what an S3 client sends and answers as it is told. */
export class S3Recorder {
  readonly requests: RecordedRequest[] = [];
  /** How many connections were opened. */
  connections = 0;
  answer: (request: RecordedRequest) => Answer = () => ({});

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(tls?: { cert: string; key: string }): Promise<S3Recorder> {
    const server = tls === undefined ? createServer() : createSecureServer(tls);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const recorder = new S3Recorder(server, `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`);
    server.on('request', (request, response) => {
      void recorder.handle(request, response);
    });
    server.on('connection', () => {
      recorder.connections += 1;
    });
    return recorder;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const recorded = { method, url, headers, body: await buffer(request) };
    this.requests.push(recorded);
    const { status = 200, headers: answerHeaders = {}, body = '' } = this.answer(recorded);
    response.writeHead(status, answerHeaders);
    response.end(method === 'HEAD' ? undefined : body);
  }
}
