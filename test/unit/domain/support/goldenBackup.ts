import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { parse } from 'yaml';
import { getString, type JsonObject } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/jsonText.ts';
import { parseApiVersion, parseGroupResource } from '../../../../domain/kubernetes/groupResource.ts';
import { type ApiResource, ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';
import { type BackupVolumes, noBackupVolumes } from '../../../../domain/plan/persistentVolume.ts';
import type { BackupItem } from '../../../../domain/plan/planSource.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';

const data = new URL('../../../golden/data/', import.meta.url);
/** Unversioned paths only: each item is in a backup a second time under its version. */
const ITEM = /^resources\/([^/]+)\/(?:cluster|namespaces\/([^/]+))\/([^/]+)\.json$/;
/** What a cluster that knows no custom resource of the backup does not serve. */
const FOREIGN_GROUP = 'example.com';

function gunzipJson(path: string): unknown {
  return parseJson(gunzipSync(readFileSync(new URL(path, data))).toString());
}

/** A backup that the real Velero made. */
export interface GoldenBackup {
  readonly files: readonly { readonly item: BackupItem; readonly text: string }[];
  readonly volumes: BackupVolumes;
  /** Made of the backup's own folders: what its cluster served, without custom resources. */
  readonly table: ResourceTable;
}

export async function readGoldenBackup(name: string): Promise<GoldenBackup> {
  const files = await readTarball(`bucket/backups/${name}/${name}.tar.gz`);
  const infos = gunzipJson(`bucket/backups/${name}/${name}-volumeinfo.json.gz`) as JsonObject[];
  const methods = infos.map((info): [string, string] => [
    getString(info, ['pvName']) ?? '',
    getString(info, ['backupMethod']) ?? '',
  ]);
  return { files, volumes: { ...noBackupVolumes, methodByVolume: new Map(methods) }, table: tableOf(files) };
}

async function readTarball(path: string): Promise<GoldenBackup['files']> {
  const files: { item: BackupItem; text: string }[] = [];
  const entries = Readable.from(gunzipSync(readFileSync(new URL(path, data)))).pipe(extract());
  for await (const entry of entries) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const [, groupResource, namespace, file] = ITEM.exec(entry.header.name) ?? [];
    if (groupResource === undefined || file === undefined) continue;
    files.push({ item: { groupResource, namespace, name: file }, text: Buffer.concat(chunks).toString() });
  }
  return files;
}

function tableOf(files: GoldenBackup['files']): ResourceTable {
  const rows = new Map<string, ApiResource>();
  for (const { item, text } of files) {
    const { group, resource } = parseGroupResource(item.groupResource);
    if (group === FOREIGN_GROUP || rows.has(item.groupResource)) continue;
    const object = parseJson(text);
    const kind = getString(object, ['kind']) ?? '';
    const { version } = parseApiVersion(getString(object, ['apiVersion']) ?? '');
    const namespaced = item.namespace !== undefined;
    rows.set(item.groupResource, {
      group,
      version,
      resource,
      singular: kind.toLowerCase(),
      shortNames: [],
      kind,
      namespaced,
      verbs: ['create'],
    });
  }
  return new ResourceTable(
    [...rows.values()].sort((a, b) => (a.group < b.group ? -1 : 1)),
    [],
  );
}

/** The Restore of a case. */
export function readGoldenSpec(name: string): RestoreSpec {
  const restore = parse(readFileSync(new URL(`cases/${name}/restore.yaml`, data), 'utf8')) as { spec: RestoreSpec };
  return restore.spec;
}

/** What the real Velero listed as restored in a case: `v1/Pod shop/web` and what became of it. */
export function readGoldenList(name: string): Map<string, string> {
  const list = gunzipJson(`cases/${name}/velero-output/restore-${name}-resource-list.json.gz`) as Record<
    string,
    string[]
  >;
  const items = Object.entries(list).flatMap(([kind, names]) => names.map((entry) => `${kind} ${entry}`));
  return new Map(
    items.map((entry) => [entry.slice(0, entry.lastIndexOf('(')), entry.slice(entry.lastIndexOf('(') + 1, -1)]),
  );
}
