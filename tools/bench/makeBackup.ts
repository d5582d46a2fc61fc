import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

/** About 1.5 KB, like the ConfigMaps that the figures of docs/performance.md were taken with. */
function configMap(namespace: string, name: string): object {
  const data = Object.fromEntries(Array.from({ length: 10 }, (_, row) => [`key-${row}`, 'x'.repeat(80)]));
  return {
    apiVersion: 'v1',
    data,
    kind: 'ConfigMap',
    metadata: {
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'bench' },
      managedFields: [
        {
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { '.': {}, ...Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}])) } },
          manager: 'kubectl-create',
          operation: 'Update',
          time: '2026-01-01T00:00:00Z',
        },
      ],
      name,
      namespace,
      resourceVersion: '1',
      uid: '00000000-0000-0000-0000-000000000000',
    },
  };
}

export const BENCH_NAMESPACE = 'bench';

/** The `index`-th item of a benchmark backup. */
export function benchItem(index: number): object {
  return configMap(BENCH_NAMESPACE, `item-${String(index).padStart(6, '0')}`);
}

/** Writes a backup of `items` ConfigMaps into the bucket directory, laid out as Velero does. */
export async function makeBackup(bucket: string, name: string, items: number): Promise<void> {
  const folder = join(bucket, 'backups', name);
  await mkdir(folder, { recursive: true });
  const tarball = pack();
  const written = pipeline(tarball, createGzip({ level: 1 }), createWriteStream(join(folder, `${name}.tar.gz`)));
  tarball.entry({ name: 'metadata/version' }, '1.1.0\n');
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: BENCH_NAMESPACE } };
  tarball.entry({ name: `resources/namespaces/cluster/${BENCH_NAMESPACE}.json` }, JSON.stringify(namespace));
  for (let index = 0; index < items; index++) {
    const item = benchItem(index);
    const path = `resources/configmaps/namespaces/${BENCH_NAMESPACE}/item-${String(index).padStart(6, '0')}.json`;
    await new Promise<void>((resolve, reject) => {
      tarball.entry({ name: path }, JSON.stringify(item), (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }
  tarball.finalize();
  await written;
  const metadata = {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: { name, namespace: 'velero' },
    spec: { storageLocation: 'default' },
    status: { phase: 'Completed', formatVersion: '1.1.0', startTimestamp: '2026-01-01T00:00:00Z' },
  };
  await writeFile(join(folder, 'velero-backup.json'), JSON.stringify(metadata));
}
