import { type ClusterConfig, type Credentials, type KubeconfigOptions, loadKubeconfig } from './kubeconfig.ts';

/** Files and plugins are asked again after this time, so that rotated certificates and tokens are found. */
const FRESH_FOR_MS = 10_000;
/** Credentials that are refused again and again do not run a plugin for each request. */
const RENEWAL_PAUSE_MS = 1_000;

/**
 * The credentials of one cluster, kept for 10 s and fetched once however many requests want them: a kubeconfig's plugin is a
 * process, and 64 first requests would start 64 of it.
 */
export class CredentialSource {
  private readonly options: KubeconfigOptions;
  private config: ClusterConfig;
  private current: { readonly credentials: Credentials; readonly fetchedAt: number } | undefined;
  private fetching: Promise<Credentials> | undefined;
  private renewing: Promise<Credentials> | undefined;
  private renewedAt = Number.NEGATIVE_INFINITY;

  private constructor(options: KubeconfigOptions, config: ClusterConfig) {
    this.options = options;
    this.config = config;
  }

  /** @throws KubeconfigError */
  static async load(options: KubeconfigOptions): Promise<CredentialSource> {
    return new CredentialSource(options, await loadKubeconfig(options));
  }

  get server(): URL {
    return this.config.server;
  }

  get proxyUrl(): string | undefined {
    return this.config.proxyUrl;
  }

  /** @throws KubeconfigError where a file cannot be read or a plugin fails. */
  async get(): Promise<Credentials> {
    if (this.current !== undefined && performance.now() - this.current.fetchedAt < FRESH_FOR_MS) {
      return this.current.credentials;
    }
    this.fetching ??= this.fetch(this.config).finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  /**
   * Other credentials than those that were answered 401, from the kubeconfig read anew, with none of the tokens that
   * client-node has kept. Undefined where the same come out again, so that asking the server once more is of no use.
   * @throws KubeconfigError
   */
  async renew(refused: Credentials): Promise<Credentials | undefined> {
    if (this.current !== undefined && !isSame(this.current.credentials, refused)) return this.current.credentials;
    if (this.renewing === undefined) {
      if (performance.now() - this.renewedAt < RENEWAL_PAUSE_MS) return undefined;
      this.renewing = this.reload().finally(() => {
        this.renewing = undefined;
        this.renewedAt = performance.now();
      });
    }
    const renewed = await this.renewing;
    return isSame(renewed, refused) ? undefined : renewed;
  }

  private async reload(): Promise<Credentials> {
    this.config = await loadKubeconfig(this.options);
    return this.fetch(this.config);
  }

  private async fetch(config: ClusterConfig): Promise<Credentials> {
    const credentials = await config.credentials();
    // What a reload has brought in the meantime is newer.
    if (config === this.config) this.current = { credentials, fetchedAt: performance.now() };
    return credentials;
  }
}

/** Asked for with every request, while the credentials change once in a while. */
const fingerprints = new WeakMap<Credentials, string>();

/** Only in memory: tells whether connections and requests would look the same. */
export function tlsFingerprint(credentials: Credentials): string {
  const known = fingerprints.get(credentials);
  if (known !== undefined) return known;
  const { ca, cert, key, servername, rejectUnauthorized } = credentials.tls;
  const fingerprint = JSON.stringify([
    ca?.toString(),
    cert?.toString(),
    key?.toString(),
    servername,
    rejectUnauthorized,
  ]);
  fingerprints.set(credentials, fingerprint);
  return fingerprint;
}

function isSame(a: Credentials, b: Credentials): boolean {
  return JSON.stringify(a.headers) === JSON.stringify(b.headers) && tlsFingerprint(a) === tlsFingerprint(b);
}
