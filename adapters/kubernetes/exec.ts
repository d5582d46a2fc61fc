import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket, { type ClientOptions } from 'ws';
import type { ExecEnd, ExecRequest, ExecResult } from '../../domain/kubernetes/podAccess.ts';
import { messageOf } from '../../domain/messageOf.ts';
import { toApiResult } from './apiResult.ts';
import type { CredentialSource } from './credentials.ts';
import { ExecCapture } from './execOutput.ts';
import { readExecStatus, withoutCommand } from './execStatus.ts';
import type { Credentials } from './kubeconfig.ts';
import { objectPath } from './paths.ts';
import { proxyAgent } from './proxyAgent.ts';
import { userAgent } from './userAgent.ts';

/** Newest first. Without stdin the two are the same; older servers and proxies know only the second. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;

const HANDSHAKE_MS = 15_000;
/** As kubectl does: a ping every 5 s, and a connection on which nothing came back for 61 s is dead. */
const PING_MS = 5_000;
const SILENCE_MS = 61_000;
/** Output may come behind the status: the socket is read on until it is closed, or as long as this. */
const LATE_OUTPUT_MS = 500;
/** Of an answer that refuses the upgrade. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * Runs a command in a container through the API server, over a WebSocket (spec hooks.md §9): no stdin, no terminal, outputs apart. Every
 * end is a value; which it is says whether the command may have run. Nothing of the command or its output is in a message of ours.
 */
export async function execInPod(credentials: CredentialSource, request: ExecRequest): Promise<ExecResult> {
  const capture = new ExecCapture(request.maxOutputBytes);
  const end = await run(credentials, request, capture);
  return { end, ...capture.output };
}

async function run(credentials: CredentialSource, request: ExecRequest, capture: ExecCapture): Promise<ExecEnd> {
  if (request.signal?.aborted === true) return { kind: 'cancelled' };
  let used: Credentials;
  try {
    used = await credentials.get();
  } catch (error) {
    return { kind: 'unreachable', message: messageOf(error) };
  }
  const end = await attempt(credentials, used, request, capture);
  if (end.kind !== 'refused' || end.status !== 401) return end;
  const renewed = await credentials.renew(used).catch(() => undefined);
  return renewed === undefined ? end : attempt(credentials, renewed, request, capture);
}

function attempt(
  source: CredentialSource,
  credentials: Credentials,
  request: ExecRequest,
  capture: ExecCapture,
): Promise<ExecEnd> {
  const { ca, cert, key, servername, rejectUnauthorized } = credentials.tls;
  let agent: ReturnType<typeof proxyAgent>;
  try {
    agent = proxyAgent(source.proxyUrl);
  } catch (error) {
    return Promise.resolve({ kind: 'refused', message: messageOf(error) });
  }
  const url = execUrl(source.server, request);
  const options: ClientOptions = {
    headers: { ...(credentials.headers as Record<string, string>), 'user-agent': userAgent() },
    handshakeTimeout: HANDSHAKE_MS,
    perMessageDeflate: false,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(agent === undefined ? {} : { agent }),
  };
  return new ExecSocket(new WebSocket(url, PROTOCOLS, options), request, capture).ended;
}

function execUrl(server: URL, { namespace, pod, container, command }: ExecRequest): string {
  const path = objectPath({ group: '', version: 'v1', resource: 'pods', namespace, name: pod }, 'exec');
  const query = new URLSearchParams({ container, stdout: 'true', stderr: 'true' });
  for (const part of command) query.append('command', part);
  const scheme = server.protocol === 'http:' ? 'ws:' : 'wss:';
  return `${scheme}//${server.host}${server.pathname.replace(/\/+$/, '')}${path}?${query.toString()}`;
}

/** One command on one socket. */
class ExecSocket {
  /** Settled exactly once, by whatever comes first. */
  readonly ended: Promise<ExecEnd>;
  private readonly socket: WebSocket;
  private readonly request: ExecRequest;
  private readonly capture: ExecCapture;
  private settle: (end: ExecEnd) => void = () => undefined;
  private opened = false;
  private heardAt = performance.now();
  private pings: NodeJS.Timeout | undefined;
  private timeout: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, request: ExecRequest, capture: ExecCapture) {
    this.socket = socket;
    this.request = request;
    this.capture = capture;
    this.ended = new Promise<ExecEnd>((resolve) => {
      this.settle = resolve;
    }).finally(() => {
      this.cleanUp();
    });
    socket.binaryType = 'nodebuffer';
    socket.on('open', () => {
      this.open();
    });
    socket.on('message', (data) => {
      this.message(data as Buffer);
    });
    socket.on('pong', () => {
      this.heardAt = performance.now();
    });
    socket.on('unexpected-response', (_, response) => {
      void this.refused(response).then(this.settle);
    });
    socket.on('error', (error) => {
      this.settle(this.broken(messageOf(error)));
    });
    socket.on('close', (code) => {
      this.settle(this.broken(`the connection was closed (${code}) before the command's end was told`));
    });
    request.signal?.addEventListener('abort', this.abort, { once: true });
  }

  private open(): void {
    this.opened = true;
    this.heardAt = performance.now();
    this.timeout = setTimeout(() => {
      this.settle({ kind: 'timedOut' });
    }, this.request.timeoutMs);
    this.pings = setInterval(() => {
      if (performance.now() - this.heardAt > SILENCE_MS) {
        this.settle({ kind: 'lost', message: `the connection was silent for ${SILENCE_MS / 1000} s` });
      } else this.socket.ping();
    }, PING_MS);
  }

  private message(data: Buffer): void {
    this.heardAt = performance.now();
    const channel = data[0];
    const content = data.subarray(1);
    if (channel === STDOUT) this.capture.stdout(content);
    else if (channel === STDERR) this.capture.stderr(content);
    else if (channel === STATUS) void this.finish(readExecStatus(content.toString('utf8')));
  }

  /** Late output is read before the end is told. */
  private async finish(end: ExecEnd): Promise<void> {
    clearTimeout(this.timeout);
    const closed = new Promise<void>((resolve) => {
      for (const event of ['close', 'error']) {
        this.socket.removeAllListeners(event);
        this.socket.once(event, () => {
          resolve();
        });
      }
    });
    await Promise.race([closed, sleep(LATE_OUTPUT_MS)]);
    this.settle(end);
  }

  /** An answer instead of the upgrade: the API server or the kubelet says why there is no command to run. */
  private async refused(response: IncomingMessage): Promise<ExecEnd> {
    let text = '';
    try {
      for await (const chunk of response) {
        text += String(chunk);
        if (text.length > MAX_REFUSAL_BYTES) break;
      }
    } catch {
      // Its beginning has to do.
    }
    const status = response.statusCode ?? 0;
    const result = toApiResult('GET', { status, headers: response.headers, text });
    const message = result === undefined || result.ok ? `HTTP ${status}` : result.message;
    return { kind: 'refused', message: withoutCommand(message), status };
  }

  private broken(message: string): ExecEnd {
    return this.opened ? { kind: 'lost', message } : { kind: 'unreachable', message };
  }

  private readonly abort = (): void => {
    this.settle({ kind: 'cancelled' });
  };

  private cleanUp(): void {
    clearInterval(this.pings);
    clearTimeout(this.timeout);
    this.request.signal?.removeEventListener('abort', this.abort);
    // What the socket still says concerns nobody, but without a listener an error would end the process.
    this.socket.removeAllListeners();
    this.socket.on('error', () => undefined);
    this.socket.terminate();
  }
}
