import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export interface TarEntry extends Partial<Header> {
  readonly name: string;
  readonly content?: string | Uint8Array;
}

/** Makes an uncompressed tar archive as tools other than Velero might. */
export async function tar(entries: readonly TarEntry[]): Promise<Buffer> {
  const archive = pack();
  const content = buffer(archive);
  for (const { content: body, ...header } of entries) archive.entry(header, body ?? '');
  archive.finalize();
  return content;
}

/** Makes a backup's tarball. */
export async function tarball(entries: readonly TarEntry[]): Promise<Buffer> {
  return gzipSync(await tar(entries));
}

/** An item at its two paths, as Velero stores it. */
export function stored(resource: string, namespace: string, name: string, object: object, version = 'v1'): TarEntry[] {
  const scope = namespace === '' ? 'cluster' : `namespaces/${namespace}`;
  const content = JSON.stringify(object);
  return [
    { name: `resources/${resource}/${scope}/${name}.json`, content, mode: 0o755 },
    { name: `resources/${resource}/${version}-preferredversion/${scope}/${name}.json`, content, mode: 0o755 },
  ];
}
