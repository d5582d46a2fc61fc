import { type Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici';
import type { TlsMaterial } from './kubeconfig.ts';

export interface DispatcherOptions {
  readonly server: URL;
  readonly proxyUrl: string | undefined;
  readonly tls: TlsMaterial;
  /** Most connections at a time; requests beyond wait for one. */
  readonly connections: number;
  readonly environment: NodeJS.ProcessEnv;
}

/** The API server closes an idle connection after 90 s, load balancers often after 60. */
const IDLE_MS = 30_000;
const IDLE_LIMIT_MS = 60_000;
/** The API server itself gives up a request after 60 s. */
const ANSWER_MS = 70_000;
const CONNECT_MS = 10_000;
const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;

/**
 * Keep-alive connections to one API server, HTTP/1.1: undici's HTTP/2 is thirty times slower, and one connection would bind
 * everything to one replica of the API server. The proxy is the kubeconfig's `proxy-url` (http, https or socks5), otherwise
 * the environment's (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`; never for loopback addresses, as in Go).
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { server, proxyUrl, environment } = options;
  const tls = connectOptions(options.tls);
  const pool = {
    connections: options.connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_LIMIT_MS,
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
    connect: tls,
  };
  if (proxyUrl !== undefined) return new ProxyAgent({ ...pool, uri: proxyUrl, requestTls: tls });
  const environmentProxy = proxyOf(server, environment);
  if (environmentProxy === undefined) return new Pool(server.origin, pool);
  return new EnvHttpProxyAgent({
    ...pool,
    requestTls: tls,
    httpProxy: environmentProxy,
    httpsProxy: environmentProxy,
    noProxy: environment['no_proxy'] ?? environment['NO_PROXY'] ?? '',
  });
}

function connectOptions(tls: TlsMaterial) {
  return {
    ...Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined)),
    timeout: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
}

function proxyOf(server: URL, environment: NodeJS.ProcessEnv): string | undefined {
  if (LOOPBACK.test(server.hostname)) return undefined;
  const names = server.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  return names.map((name) => environment[name]).find((value) => value !== undefined && value !== '');
}
