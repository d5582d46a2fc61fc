import { join } from 'node:path';
import { ensurePrograms } from './ensure.ts';
import { withFreePorts } from './freePort.ts';
import { answersOk } from './httpProbe.ts';
import { ServerProcess } from './process.ts';

/**
 * `minimal`: only what a restore needs (namespaces end, default ServiceAccounts and token Secrets come), so that
 * nothing else changes restored objects. `all`: every controller but the two that manage nodes.
 */
export type Controllers = 'minimal' | 'all';

export interface ControllerManagerOptions {
  /** Directory of the API server: keys, certificates and kubeconfig; gets `logs/kube-controller-manager.log`. */
  readonly directory: string;
  readonly controllers: Controllers;
  /** Default: a free port. */
  readonly port?: number | undefined;
  readonly extraFlags?: readonly string[] | undefined;
  readonly outlivesParent?: boolean | undefined;
  /** Path of the program; default: ensurePrograms. */
  readonly program?: string | undefined;
}

export interface ControllerManager {
  /** Where /healthz is. */
  readonly url: string;
  readonly port: number;
  readonly process: ServerProcess;
  stop(): Promise<void>;
}

const controllerLists: Readonly<Record<Controllers, string>> = {
  minimal: 'namespace-controller,serviceaccount-controller,serviceaccount-token-controller',
  all: '*,-nodeipam,-nodelifecycle',
};

/** Starts a controller manager against the API server of the same directory. */
export async function startControllerManager(options: ControllerManagerOptions): Promise<ControllerManager> {
  const { directory } = options;
  const program = options.program ?? (await ensurePrograms(['kube-controller-manager']))['kube-controller-manager'];
  return withFreePorts([options.port], async ([port = 0]) => {
    const url = `https://127.0.0.1:${port}`;
    const server = await ServerProcess.start({
      name: 'kube-controller-manager',
      program,
      args: [
        `--kubeconfig=${join(directory, 'kubeconfig')}`,
        `--service-account-private-key-file=${join(directory, 'sa.key')}`,
        `--root-ca-file=${join(directory, 'certs', 'apiserver.crt')}`,
        '--use-service-account-credentials=true',
        '--leader-elect=false',
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        `--controllers=${controllerLists[options.controllers]}`,
        // The default of 20 requests a second would make tests with many namespaces wait.
        '--kube-api-qps=200',
        '--kube-api-burst=400',
        ...(options.extraFlags ?? []),
      ],
      logFile: join(directory, 'logs', 'kube-controller-manager.log'),
      ready: (signal) => answersOk(`${url}/healthz`, { signal }),
      outlivesParent: options.outlivesParent ?? false,
    });
    return {
      url,
      port,
      process: server,
      async stop() {
        await server.stop();
      },
    };
  });
}
