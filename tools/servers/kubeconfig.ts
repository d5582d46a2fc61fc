import { chmod, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';

export interface KubeconfigContent {
  readonly url: string;
  readonly token: string;
  /** Certificates by which the API server is recognised, PEM. */
  readonly certificateAuthority: string;
}

/** Writes a kubeconfig with one cluster and one user, readable for its owner only. */
export async function writeKubeconfig(path: string, content: KubeconfigContent): Promise<void> {
  const name = 'durable-restore';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [
      {
        name,
        cluster: {
          server: content.url,
          'certificate-authority-data': Buffer.from(content.certificateAuthority).toString('base64'),
        },
      },
    ],
    users: [{ name, user: { token: content.token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  await writeFile(path, stringify(config), { mode: 0o600 });
  // The mode of writeFile counts for a new file only.
  await chmod(path, 0o600);
}
