import { access } from 'node:fs/promises';
import { isNativeError } from 'node:util/types';
import type { KubeConfig } from '@kubernetes/client-node';
import type { KubeconfigUser } from './kubeconfig.schema.ts';
import {
  defaultKubeconfigPaths,
  type KubeconfigContext,
  KubeconfigError,
  pickContext,
  readKubeconfigFiles,
} from './kubeconfigFiles.ts';

const IN_CLUSTER_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const CREDENTIALS_TIMEOUT_MS = 60_000;

/** What a connection is secured with. */
export interface TlsMaterial {
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  readonly servername?: string | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
}

/** What a request proves itself with. Secret: neither to be logged nor shown. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: TlsMaterial;
}

export interface KubeconfigOptions {
  /** A kubeconfig file; default: those named by `KUBECONFIG`, the one in the home folder, the pod's service account. */
  readonly kubeconfig?: string | undefined;
  /** Name of a context; default: the current one. */
  readonly context?: string | undefined;
  /** Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

/** One cluster and how to get into it. */
export interface ClusterConfig {
  /** With the path prefix, where there is one. */
  readonly server: URL;
  readonly proxyUrl: string | undefined;
  /** Reads files and runs credential plugins as needed; tokens are kept as long as the plugin says that they are valid. */
  credentials(): Promise<Credentials>;
}

/**
 * Finds the cluster to talk to, like kubectl does. Each call starts afresh: no credential of an earlier call is kept.
 * @throws KubeconfigError where there is no kubeconfig, no such context, or one that cannot be read.
 */
export async function loadKubeconfig(options: KubeconfigOptions = {}): Promise<ClusterConfig> {
  const environment = options.environment ?? process.env;
  const paths = options.kubeconfig === undefined ? defaultKubeconfigPaths(environment) : [options.kubeconfig];
  const files = await readKubeconfigFiles(paths);
  if (files.length > 0) return clusterConfig(pickContext(files, options.context));
  const looked = `no kubeconfig file: looked for ${paths.join(', ')}`;
  if (options.kubeconfig !== undefined) throw new KubeconfigError(looked);
  if (options.context !== undefined)
    throw new KubeconfigError(`${looked}, expected context ${JSON.stringify(options.context)}`);
  return inClusterConfig(environment, looked);
}

async function inClusterConfig(environment: NodeJS.ProcessEnv, looked: string): Promise<ClusterConfig> {
  const isPod = environment['KUBERNETES_SERVICE_HOST'] !== undefined && (await exists(IN_CLUSTER_TOKEN));
  if (!isPod) throw new KubeconfigError(`${looked}; and this is no pod with a service account`);
  const config = await newKubeConfig();
  config.loadFromCluster();
  return {
    server: serverUrl(config.getCurrentCluster()?.server ?? ''),
    proxyUrl: undefined,
    credentials: () => apply(config, {}),
  };
}

async function clusterConfig(context: KubeconfigContext): Promise<ClusterConfig> {
  const { cluster, user } = context;
  const server = serverUrl(cluster.server);
  const config = await newKubeConfig();
  config.loadFromOptions({
    clusters: [
      {
        name: context.clusterName,
        server: cluster.server,
        // Data wins over a file, as in kubectl.
        ...(cluster['certificate-authority-data']
          ? { caData: cluster['certificate-authority-data'] }
          : { caFile: cluster['certificate-authority'] ?? undefined }),
        // client-node refuses plain HTTP unless told that nobody expects TLS there.
        skipTLSVerify: cluster['insecure-skip-tls-verify'] === true || server.protocol === 'http:',
        tlsServerName: cluster['tls-server-name'] ?? undefined,
      },
    ],
    // Without a user client-node would leave out the certificate authority too.
    users: [{ name: context.userName === '' ? 'anonymous' : context.userName, ...clientNodeUser(context) }],
    contexts: [
      {
        name: context.name,
        cluster: context.clusterName,
        user: context.userName === '' ? 'anonymous' : context.userName,
      },
    ],
    currentContext: context.name,
  });
  return { server, proxyUrl: cluster['proxy-url'] ?? undefined, credentials: () => apply(config, user) };
}

function clientNodeUser(context: KubeconfigContext): Record<string, unknown> {
  const { user } = context;
  return {
    ...(user['client-certificate-data']
      ? { certData: user['client-certificate-data'] }
      : { certFile: user['client-certificate'] }),
    ...(user['client-key-data'] ? { keyData: user['client-key-data'] } : { keyFile: user['client-key'] }),
    // A token file wins over a token and is read again once a minute.
    ...(user.tokenFile
      ? { authProvider: { name: 'tokenFile', config: { tokenFile: user.tokenFile } } }
      : { token: user.token, authProvider: user['auth-provider'] }),
    username: user.username,
    password: user.password,
    impersonateUser: user.as,
    exec: user.exec && { ...user.exec, env: [...(user.exec.env ?? []), execInfo(context)] },
  };
}

/** What client-go tells a credential plugin about what it wants; client-node tells nothing. */
function execInfo({ cluster, user }: KubeconfigContext): { name: string; value: string } {
  const clusterInfo = {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': cluster['certificate-authority-data'],
    'proxy-url': cluster['proxy-url'],
  };
  return {
    name: 'KUBERNETES_EXEC_INFO',
    value: JSON.stringify({
      kind: 'ExecCredential',
      apiVersion: user.exec?.apiVersion ?? 'client.authentication.k8s.io/v1',
      spec: { interactive: false, ...(user.exec?.provideClusterInfo ? { cluster: clusterInfo } : {}) },
    }),
  };
}

interface HttpsOptions {
  headers?: Record<string, string | string[]>;
  auth?: string;
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
}

async function apply(config: KubeConfig, user: KubeconfigUser): Promise<Credentials> {
  const applied: HttpsOptions = {};
  await withTimeout(user, config.applyToHTTPSOptions(applied));
  const { headers, auth, ca, cert, key, servername, rejectUnauthorized } = applied;
  const basic = auth === undefined ? {} : { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` };
  return {
    headers: { ...headers, ...basic, ...impersonation(user) },
    tls: { ca, cert, key, servername, rejectUnauthorized },
  };
}

/** client-node knows the user to impersonate only. */
function impersonation(user: KubeconfigUser): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {};
  if (user['as-uid']) headers['Impersonate-Uid'] = user['as-uid'];
  if (user['as-groups'] && user['as-groups'].length > 0) headers['Impersonate-Group'] = user['as-groups'];
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {})) {
    headers[`Impersonate-Extra-${encodeURIComponent(key)}`] = values;
  }
  return headers;
}

async function withTimeout(user: KubeconfigUser, work: Promise<void>): Promise<void> {
  const plugin = user.exec?.command;
  const source = plugin === undefined ? 'credentials' : `credential plugin ${plugin}`;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${CREDENTIALS_TIMEOUT_MS / 1000} s`));
    }, CREDENTIALS_TIMEOUT_MS);
  });
  try {
    await Promise.race([work, timeout]);
  } catch (error) {
    const hint = user.exec?.installHint ? ` (${user.exec.installHint})` : '';
    const reason = isNativeError(error) ? error.message.trim() : String(error);
    throw new KubeconfigError(`${source}: ${reason === '' ? 'failed without a message' : reason}${hint}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** client-node takes a quarter of a second to import: only those who talk to a cluster pay for it. */
async function newKubeConfig(): Promise<KubeConfig> {
  const clientNode = await import('@kubernetes/client-node');
  return new clientNode.KubeConfig();
}

function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new KubeconfigError(`server is ${JSON.stringify(text)}, expected an https:// or http:// URL`);
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
