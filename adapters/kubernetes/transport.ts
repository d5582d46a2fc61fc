import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { type CredentialSource, tlsFingerprint } from './credentials.ts';
import { createDispatcher } from './dispatcher.ts';
import type { Credentials } from './kubeconfig.ts';
import { isConnectionReset, unreachable } from './unreachable.ts';
import { userAgent } from './userAgent.ts';

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the server's path prefix, percent-encoded, with the query. */
  readonly path: string;
  readonly accept?: string | undefined;
  readonly contentType?: string | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long nothing may come of an answer that has begun; default 70 s. */
  readonly bodyTimeoutMs?: number | undefined;
}

/** An answer whose body is still on its way; it has to be read or dumped. */
export interface OpenAnswer {
  readonly status: number;
  readonly body: Dispatcher.ResponseData['body'];
}

export interface TransportAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface TransportOptions {
  readonly credentials: CredentialSource;
  readonly connections: number;
  /** Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

/** A GET whose connection breaks is sent this often in all. */
const GET_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;

/** Requests to one API server over one pool of connections. */
export class KubernetesTransport {
  /** Without a slash at its end. */
  readonly server: string;
  private readonly options: TransportOptions;
  private readonly pathPrefix: string;
  private closing: Promise<void> | undefined;
  private connected: { readonly fingerprint: string; readonly dispatcher: Dispatcher } | undefined;

  constructor(options: TransportOptions) {
    this.options = options;
    this.server = options.credentials.server.href.replace(/\/+$/, '');
    this.pathPrefix = options.credentials.server.pathname.replace(/\/+$/, '');
  }

  /**
   * Sends a request and reads the whole answer, whatever its status. A GET is sent again where the connection breaks; anything
   * else never, as the server may have done it. On a 401 the credentials are fetched anew and the request is sent once more.
   * @throws KubernetesUnreachable where there was no (whole) answer or no credentials; the signal's reason where it was aborted.
   */
  async request(request: TransportRequest): Promise<TransportAnswer> {
    request.signal?.throwIfAborted();
    // Many requests may share one signal; each takes its listener away again.
    if (request.signal !== undefined) setMaxListeners(Number.POSITIVE_INFINITY, request.signal);
    if (this.closing !== undefined) throw unreachable(describeRequest(request), this.server, 'this client is closed');
    const credentials = await this.credentialsFor(request, this.options.credentials.get());
    const answer = await this.send(request, credentials);
    if (answer.status !== 401) return answer;
    const renewed = await this.credentialsFor(request, this.options.credentials.renew(credentials));
    return renewed === undefined ? answer : this.send(request, renewed);
  }

  /**
   * Sends a GET and hands on its body as it comes, for watches. Sent once; credentials that are answered 401 are renewed for the next
   * request.
   * @throws KubernetesUnreachable, the signal's reason, and what reading the body throws.
   */
  async open(request: TransportRequest): Promise<OpenAnswer> {
    request.signal?.throwIfAborted();
    const credentials = await this.credentialsFor(request, this.options.credentials.get());
    try {
      const answer = await this.dispatch(this.dispatcherFor(credentials), request, credentials);
      if (answer.statusCode === 401) await this.options.credentials.renew(credentials);
      return { status: answer.statusCode, body: answer.body };
    } catch (error) {
      request.signal?.throwIfAborted();
      throw unreachable(describeRequest(request), this.server, error);
    }
  }

  /** Lets requests that are under way end, then closes the connections. */
  async close(): Promise<void> {
    this.closing ??= this.connected?.dispatcher.close() ?? Promise.resolve();
    await this.closing;
  }

  private async credentialsFor<T>(request: TransportRequest, credentials: Promise<T>): Promise<T> {
    try {
      return await credentials;
    } catch (error) {
      throw unreachable(describeRequest(request), this.server, error);
    }
  }

  private async send(request: TransportRequest, credentials: Credentials): Promise<TransportAnswer> {
    let dispatcher = this.dispatcherFor(credentials);
    const attempts = request.method === 'GET' ? GET_ATTEMPTS : 1;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.sendOnce(dispatcher, request, credentials);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (attempt >= attempts || !isConnectionReset(error))
          throw unreachable(describeRequest(request), this.server, error);
        await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, request.signal && { signal: request.signal });
        dispatcher = this.connected?.dispatcher ?? dispatcher;
      }
    }
  }

  private async sendOnce(
    dispatcher: Dispatcher,
    request: TransportRequest,
    credentials: Credentials,
  ): Promise<TransportAnswer> {
    const answer = await this.dispatch(dispatcher, request, credentials);
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  private dispatch(
    dispatcher: Dispatcher,
    { method, path, accept, contentType, body, signal, bodyTimeoutMs }: TransportRequest,
    credentials: Credentials,
  ): Promise<Dispatcher.ResponseData> {
    return dispatcher.request({
      origin: this.options.credentials.server.origin,
      path: this.pathPrefix + path,
      method,
      headers: {
        ...(credentials.headers as Record<string, string | string[]>),
        'user-agent': userAgent(),
        accept: accept ?? 'application/json',
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      body: body ?? null,
      signal: signal ?? null,
      ...(bodyTimeoutMs === undefined ? {} : { bodyTimeout: bodyTimeoutMs }),
    });
  }

  /** A rotated certificate needs connections of its own; a new token does not. */
  private dispatcherFor(credentials: Credentials): Dispatcher {
    const fingerprint = tlsFingerprint(credentials);
    if (this.connected?.fingerprint === fingerprint) return this.connected.dispatcher;
    const old = this.connected?.dispatcher;
    const dispatcher = createDispatcher({
      server: this.options.credentials.server,
      proxyUrl: this.options.credentials.proxyUrl,
      tls: credentials.tls,
      connections: this.options.connections,
      environment: this.options.environment ?? process.env,
    });
    this.connected = { fingerprint, dispatcher };
    void old?.close();
    return dispatcher;
  }
}

/** Without the query, which may be long. */
function describeRequest({ method, path }: TransportRequest): string {
  return `${method} ${path.split('?', 1)[0] ?? path}`;
}
