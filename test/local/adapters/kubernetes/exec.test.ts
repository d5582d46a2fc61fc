import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type WebSocket, WebSocketServer } from 'ws';
import { CredentialSource } from '../../../../adapters/kubernetes/credentials.ts';
import { execInPod } from '../../../../adapters/kubernetes/exec.ts';
import type { ExecEnd, ExecRequest, ExecResult } from '../../../../domain/kubernetes/podAccess.ts';
import { kubeconfigFor, type TemporaryFolder, temporaryFolder } from './localServer.ts';

jest.setTimeout(60_000);

const request: ExecRequest = {
  namespace: 'shop',
  pod: 'db-0',
  container: 'main',
  command: ['/bin/sh', '-c', 'a b & c'],
  timeoutMs: 10_000,
  maxOutputBytes: 100,
};

/** A kubelet's side of one command. */
type Script = (socket: WebSocket, request: IncomingMessage) => void;

let folder: TemporaryFolder;
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await folder.remove();
});

/** An API server that runs commands as scripted, or refuses them with a status. */
async function serve(script: Script | { readonly status: number; readonly body: string }): Promise<CredentialSource> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
  server.on('upgrade', (incoming, socket, head) => {
    if (typeof script === 'function') {
      sockets.handleUpgrade(incoming, socket, head, (opened) => {
        script(opened, incoming);
      });
    } else {
      socket.end(
        `HTTP/1.1 ${script.status} No\r\ncontent-type: application/json\r\ncontent-length: ${script.body.length}\r\n\r\n${script.body}`,
      );
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
  });
  return credentialsFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`);
}

async function credentialsFor(server: string): Promise<CredentialSource> {
  const kubeconfig = await folder.write('config', kubeconfigFor(server, { user: { token: 'a-token' } }));
  return CredentialSource.load({ kubeconfig, environment: {} });
}

function frame(channel: number, content: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from([channel]), Buffer.from(content)]);
}

const success = frame(3, JSON.stringify({ status: 'Success' }));
const exit = (code: number): Buffer =>
  frame(
    3,
    JSON.stringify({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
    }),
  );

function texts({ stdout, stderr }: ExecResult): string[] {
  return [Buffer.from(stdout).toString(), Buffer.from(stderr).toString()];
}

describe('execInPod', () => {
  it('H-103 H-112 asks as the API wants it, and keeps the outputs apart', async () => {
    let seen: IncomingMessage | undefined;
    const credentials = await serve((socket, incoming) => {
      seen = incoming;
      socket.send(frame(1, 'out '));
      socket.send(frame(2, 'err'));
      socket.send(frame(1, 'more'));
      socket.send(success, () => {
        socket.close();
      });
    });
    const result = await execInPod(credentials, request);
    expect(result).toMatchObject({ end: { kind: 'exited', exitCode: 0 }, stdoutBytes: 8, stderrBytes: 3 });
    expect(texts(result)).toEqual(['out more', 'err']);
    const url = new URL(seen?.url ?? '', 'http://x');
    expect(url.pathname).toBe('/prefix/api/v1/namespaces/shop/pods/db-0/exec');
    expect(url.searchParams.getAll('command')).toEqual(request.command);
    expect([...url.searchParams].filter(([key]) => key !== 'command')).toEqual([
      ['container', 'main'],
      ['stdout', 'true'],
      ['stderr', 'true'],
    ]);
    expect(seen?.headers).toMatchObject({
      authorization: 'Bearer a-token',
      'sec-websocket-protocol': 'v5.channel.k8s.io,v4.channel.k8s.io',
    });
  });

  it.each<[string, Script, ExecEnd | { readonly kind: string; readonly message: unknown }]>([
    ['H-114 an exit code', (socket) => socket.send(exit(7)), { kind: 'exited', exitCode: 7 }],
    [
      'H-114 a command that cannot be run',
      (socket) =>
        socket.send(frame(3, JSON.stringify({ status: 'Failure', reason: 'InternalError', message: 'no such file' }))),
      { kind: 'refused', message: 'no such file' },
    ],
    [
      'an address with the command in it',
      (socket) =>
        socket.send(
          frame(
            3,
            JSON.stringify({ status: 'Failure', message: 'Post "https://n:1/exec?command=secret&output=1": refused' }),
          ),
        ),
      { kind: 'refused', message: 'Post "https://n:1/exec?…": refused' },
    ],
    [
      'a status that is none',
      (socket) => socket.send(frame(3, 'nothing')),
      { kind: 'lost', message: 'the status of the command is no JSON object' },
    ],
    [
      'a socket that closes without a status',
      (socket) => {
        socket.close();
      },
      { kind: 'lost', message: expect.stringContaining('was closed') },
    ],
    [
      'a connection that breaks',
      (socket) => {
        socket.terminate();
      },
      { kind: 'lost', message: expect.any(String) },
    ],
    [
      'frames that nobody asked for',
      (socket) => {
        socket.send(Buffer.from([255, 1]));
        socket.send(frame(9, 'x'));
        socket.send(success);
      },
      { kind: 'exited', exitCode: 0 },
    ],
  ])('tells %s', async (_, script, end) => {
    expect((await execInPod(await serve(script), request)).end).toEqual(end);
  });

  it('keeps the beginning of a large output and counts the rest', async () => {
    const credentials = await serve((socket) => {
      for (let at = 0; at < 100; at++) socket.send(frame(1, 'x'.repeat(50_000)));
      socket.send(success);
    });
    const result = await execInPod(credentials, request);
    expect(result).toMatchObject({ end: { kind: 'exited', exitCode: 0 }, stdoutBytes: 5_000_000 });
    expect(result.stdout).toHaveLength(100);
  });

  it('reads what comes behind the status', async () => {
    const credentials = await serve((socket) => {
      socket.send(success);
      setTimeout(() => {
        socket.send(frame(1, 'late'));
        socket.close();
      }, 100);
    });
    expect(texts(await execInPod(credentials, request))).toEqual(['late', '']);
  });

  it('gives up after the timeout, and closes the connection', async () => {
    let closed: Promise<unknown> | undefined;
    const credentials = await serve((socket) => {
      closed = once(socket, 'close');
      socket.send(frame(1, 'so far'));
    });
    const result = await execInPod(credentials, { ...request, timeoutMs: 300 });
    expect(result.end).toEqual({ kind: 'timedOut' });
    expect(texts(result)[0]).toBe('so far');
    await closed;
  });

  it('is cancelled by its signal, and closes the connection', async () => {
    let closed: Promise<unknown> | undefined;
    const controller = new AbortController();
    const credentials = await serve((socket) => {
      closed = once(socket, 'close');
      controller.abort();
    });
    expect((await execInPod(credentials, { ...request, signal: controller.signal })).end).toEqual({
      kind: 'cancelled',
    });
    await closed;
    expect((await execInPod(credentials, { ...request, signal: controller.signal })).end).toEqual({
      kind: 'cancelled',
    });
  });

  it('H-115 says why the API server refuses', async () => {
    const body = JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'NotFound',
      message: 'pods "db-0" not found',
    });
    const { end } = await execInPod(await serve({ status: 404, body }), request);
    expect(end).toEqual({ kind: 'refused', status: 404, message: 'pods "db-0" not found' });
  });

  it('tells a server that is not there from one that broke off', async () => {
    const { end } = await execInPod(await credentialsFor('http://127.0.0.1:1'), request);
    expect(end).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
  });
});
