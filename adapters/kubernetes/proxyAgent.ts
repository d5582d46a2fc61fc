import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';

/** Opens the connections of WebSockets through a proxy, with CONNECT. */
class ProxyAgent extends Agent {
  private readonly proxy: URL;

  constructor(proxy: URL) {
    super({ keepAlive: false });
    this.proxy = proxy;
  }

  override createConnection(
    options: { host?: string; port?: number | string; servername?: string },
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const { host = '', port = 443 } = options;
    const target = `${host}:${port}`;
    const open = this.proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const { username, password } = this.proxy;
    const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    const request = open(this.proxy, {
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${secret}` }) },
    });
    // The type of the callback asks for a stream beside an error; Node does not.
    const fail = (error: Error): void => {
      (callback as ((error: Error) => void) | undefined)?.(error);
    };
    request.once('error', fail);
    request.once('connect', (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        fail(new Error(`the proxy answered ${response.statusCode ?? 0} to CONNECT ${target}`));
        return;
      }
      callback?.(null, tlsConnect({ ...options, port: undefined, socket, servername: options.servername ?? host }));
    });
    request.end();
    return undefined;
  }
}

/**
 * The agent for a WebSocket through the kubeconfig's `proxy-url`; undefined where there is none.
 * @throws Error for a SOCKS proxy, which only the other requests can use.
 */
export function proxyAgent(proxyUrl: string | undefined): Agent | undefined {
  if (proxyUrl === undefined) return undefined;
  const proxy = new URL(proxyUrl);
  if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return new ProxyAgent(proxy);
  throw new Error(
    `proxy-url of the kubeconfig is a ${proxy.protocol} proxy, expected http: or https: for commands in pods`,
  );
}
