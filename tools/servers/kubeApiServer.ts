import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controlPlaneCredentials } from './credentials.ts';
import { ensurePrograms } from './ensure.ts';
import { withFreePorts } from './freePort.ts';
import { answersOk } from './httpProbe.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { ServerProcess } from './process.ts';

export interface KubeApiServerOptions {
  /** Gets keys, token, certificates, kubeconfig, audit log and `logs/kube-apiserver.log`; what is there is used. */
  readonly directory: string;
  readonly etcdUrl: string;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Write an audit log: true for the metadata of every write, or a policy (YAML) of your own. Default false. */
  readonly audit?: boolean | string | undefined;
  /** Further flags, after ours: the last one of a name counts. */
  readonly extraFlags?: readonly string[] | undefined;
  readonly outlivesParent?: boolean | undefined;
  /** Path of the program; default: ensurePrograms. */
  readonly program?: string | undefined;
}

export interface KubeApiServer {
  readonly url: string;
  readonly port: number;
  /** Bearer token of a user who may do everything. */
  readonly token: string;
  readonly kubeconfigPath: string;
  /** File with the certificates by which the server is recognised. */
  readonly certificateFile: string;
  /** Where the audit log is written, if it is. */
  readonly auditLogPath: string | undefined;
  readonly process: ServerProcess;
  stop(): Promise<void>;
}

const writesOnly = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    verbs: [create, update, patch, delete, deletecollection]
  - level: None
`;

/** Starts an API server on 127.0.0.1 and waits until /readyz says yes; the kubeconfig is there before that. */
export async function startKubeApiServer(options: KubeApiServerOptions): Promise<KubeApiServer> {
  const { directory } = options;
  const program = options.program ?? (await ensurePrograms(['kube-apiserver']))['kube-apiserver'];
  const credentials = await controlPlaneCredentials(directory);
  const certificateFile = join(directory, 'certs', 'apiserver.crt');
  const kubeconfigPath = join(directory, 'kubeconfig');
  const audit = await auditFlags(options);
  return withFreePorts([options.port], async ([port = 0]) => {
    const url = `https://127.0.0.1:${port}`;
    let certificateAuthority: string | undefined;
    const server = await ServerProcess.start({
      name: 'kube-apiserver',
      program,
      args: [
        `--etcd-servers=${options.etcdUrl}`,
        `--secure-port=${port}`,
        '--bind-address=127.0.0.1',
        // Of the range for documentation: keeps the machine's own address out of the `kubernetes` Endpoints.
        '--advertise-address=192.0.2.10',
        `--cert-dir=${join(directory, 'certs')}`,
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${credentials.serviceAccountPublicKey}`,
        `--service-account-signing-key-file=${credentials.serviceAccountKey}`,
        `--token-auth-file=${credentials.tokenFile}`,
        '--authorization-mode=RBAC',
        '--service-cluster-ip-range=10.0.0.0/16',
        '--allow-privileged=true',
        '--profiling=false',
        // Without it the server waits up to a minute for the watches of others to end when it is told to stop.
        '--shutdown-send-retry-after=true',
        ...audit.flags,
        ...(options.extraFlags ?? []),
      ],
      logFile: join(directory, 'logs', 'kube-apiserver.log'),
      async ready(signal) {
        if (certificateAuthority === undefined) {
          // The server makes its certificate itself, right at the start.
          certificateAuthority = await readFile(certificateFile, 'utf8');
          await writeKubeconfig(kubeconfigPath, { url, token: credentials.token, certificateAuthority });
        }
        return answersOk(`${url}/readyz`, { token: credentials.token, certificateAuthority, signal });
      },
      readyTimeoutMs: 120_000,
      stopTimeoutMs: 30_000,
      outlivesParent: options.outlivesParent ?? false,
    });
    return {
      url,
      port,
      token: credentials.token,
      kubeconfigPath,
      certificateFile,
      auditLogPath: audit.logPath,
      process: server,
      async stop() {
        await server.stop();
      },
    };
  });
}

async function auditFlags(options: KubeApiServerOptions): Promise<{ flags: string[]; logPath: string | undefined }> {
  if (options.audit === undefined || options.audit === false) return { flags: [], logPath: undefined };
  const policy = join(options.directory, 'audit-policy.yaml');
  const logPath = join(options.directory, 'audit.log');
  await writeFile(policy, options.audit === true ? writesOnly : options.audit, { mode: 0o600 });
  // Blocking: a request is answered when its line is written, so that a test finds it.
  const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${logPath}`, '--audit-log-mode=blocking'];
  return { flags, logPath };
}
