import { connect } from 'node:net';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused, nothing listens there',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be resolved now',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
};

/** Why no TCP connection comes up within the time; undefined where one does. */
export function whyNoTcp(host: string, port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (reason: string | undefined): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.once('connect', () => {
      end(undefined);
    });
    socket.once('timeout', () => {
      end('no answer in time');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      end(WORDS[error.code ?? ''] ?? error.message);
    });
  });
}
