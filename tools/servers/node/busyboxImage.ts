import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';

/** What the commands of hooks in tests call. */
const APPLETS =
  'sh cat echo sleep ls true false dd head tail kill touch wc id date printf test seq yes mkdir rm grep sync awk tr'.split(
    ' ',
  );

/**
 * Writes a docker archive with images made of a static busybox alone, for `ctr images import`: no registry is needed.
 * @param names `pause` sleeps for ever, as the sandbox of a pod has to.
 */
export async function writeBusyboxImages(file: string, busybox: string, names: readonly string[]): Promise<void> {
  const layer = await layerOf(busybox);
  const diffId = createHash('sha256').update(layer).digest('hex');
  const config = JSON.stringify({
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Env: ['PATH=/bin'], Cmd: ['/bin/sleep', '1000000000'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${diffId}`] },
  });
  const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
  const manifest = [{ Config: configName, RepoTags: names, Layers: ['layer/layer.tar'] }];
  const archive = pack();
  const written = pipeline(archive, createWriteStream(file, { mode: 0o600 }));
  archive.entry({ name: 'layer/layer.tar' }, layer);
  archive.entry({ name: configName }, config);
  archive.entry({ name: 'manifest.json' }, JSON.stringify(manifest));
  archive.finalize();
  await written;
}

async function layerOf(busybox: string): Promise<Buffer> {
  const layer = pack();
  for (const folder of ['bin', 'tmp', 'etc', 'data']) {
    layer.entry({ name: `${folder}/`, type: 'directory', mode: folder === 'tmp' ? 0o1777 : 0o755 });
  }
  layer.entry({ name: 'bin/busybox', mode: 0o755 }, await readFile(busybox));
  for (const applet of APPLETS) layer.entry({ name: `bin/${applet}`, type: 'symlink', linkname: 'busybox' });
  layer.finalize();
  return buffer(layer);
}
