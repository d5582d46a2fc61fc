import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { backupFileKey, backupFolder, backupMetadataKey } from '../../../domain/backup/layout.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { renderJson } from '../../../domain/jsonText.ts';
import { locationOf } from './objects.ts';

/** A file of the archive as it is, for what no object can be. */
export interface RawFile {
  /** Below `resources/`, e.g. `configmaps/namespaces/shop/settings.json`. */
  readonly path: string;
  readonly text: string;
}

function isRawFile(entry: JsonObject | RawFile): entry is RawFile {
  return typeof entry['path'] === 'string' && typeof entry['text'] === 'string';
}

/** Where Velero puts an object in a backup's archive (spec backup-format.md §5). */
function pathOf(object: JsonObject): string {
  const { group, resource, namespace, name } = locationOf(object);
  const folder = group === '' ? resource : `${resource}.${group}`;
  return `${folder}/${namespace === undefined ? 'cluster' : `namespaces/${namespace}`}/${name}.json`;
}

/** What a backup's description says, where it is not a completed backup without labels. */
export interface BackupDescription {
  readonly labels?: Readonly<Record<string, string>>;
  readonly status?: JsonObject;
  readonly spec?: JsonObject;
}

/** Writes a completed backup of the objects into a bucket directory, laid out as Velero does. */
export async function makeBackup(
  bucket: string,
  name: string,
  entries: readonly (JsonObject | RawFile)[],
  description: BackupDescription = {},
): Promise<void> {
  await mkdir(join(bucket, backupFolder(name)), { recursive: true });
  const tarball = pack();
  const written = pipeline(
    tarball,
    createGzip({ level: 1 }),
    createWriteStream(join(bucket, backupFileKey(name, 'contents'))),
  );
  tarball.entry({ name: 'metadata/version' }, '1.1.0\n');
  for (const entry of entries) {
    const { path, text } = isRawFile(entry) ? entry : { path: pathOf(entry), text: renderJson(entry) };
    tarball.entry({ name: `resources/${path}` }, text);
  }
  tarball.finalize();
  await written;
  const metadata = {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: {
      name,
      namespace: 'velero',
      ...(description.labels === undefined ? {} : { labels: description.labels }),
    },
    spec: { storageLocation: 'default', ...description.spec },
    status: description.status ?? {
      phase: 'Completed',
      formatVersion: '1.1.0',
      startTimestamp: '2026-01-01T00:00:00Z',
    },
  };
  await writeFile(join(bucket, backupMetadataKey(name)), JSON.stringify(metadata));
}
