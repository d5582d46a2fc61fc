import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { ArchiveCache } from '../../adapters/storage/archiveCache.ts';
import { DirectoryStore } from '../../adapters/storage/directoryStore.ts';
import { itemPath } from '../../domain/backup/archiveEntry.ts';
import { parseItem } from '../../domain/backup/parseItem.ts';

/**
 * Makes a backup of many ConfigMaps, unpacks it and reads every item. Arguments: a directory and the number of items. Prints one
 * line of JSON with what it took. A program of its own, so that its memory can be limited and measured.
 */

const NAMESPACES = 200;
const MIB = 1024 * 1024;

function configMap(index: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `settings-of-service-${index}`,
      namespace: `namespace-${index % NAMESPACES}`,
      uid: `uid-${index}`,
    },
    data: { text: `${index} `.repeat(80) },
  });
}

async function makeBackup(path: string, items: number): Promise<void> {
  const archive = pack();
  const written = pipeline(archive, createGzip({ level: 1 }), createWriteStream(path));
  const put = (name: string, content: string): Promise<void> =>
    new Promise((resolve, reject) => {
      archive.entry({ name }, content, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  for (let index = 0; index < items; index += 1) {
    const content = configMap(index);
    const rest = `namespaces/namespace-${index % NAMESPACES}/settings-of-service-${index}.json`;
    await put(`resources/configmaps/${rest}`, content);
    await put(`resources/configmaps/v1-preferredversion/${rest}`, content);
  }
  archive.finalize();
  await written;
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  const result = await work();
  return [result, Number(((performance.now() - start) / 1000).toFixed(1))];
}

async function main(directory: string, items: number): Promise<void> {
  await mkdir(join(directory, 'backups', 'b'), { recursive: true });
  await makeBackup(join(directory, 'backups', 'b', 'b.tar.gz'), items);
  const cache = new ArchiveCache({ directory: join(directory, 'cache') });
  const [archive, unpackSeconds] = await timed(() =>
    cache.open(new DirectoryStore({ path: directory, prefix: '' }), 'b'),
  );
  const [read, readSeconds] = await timed(async () => {
    let count = 0;
    for await (const { item, text } of archive.readItems(archive.entries())) {
      if (text !== undefined && parseItem(text, itemPath(item))['kind'] === 'ConfigMap') count += 1;
    }
    return count;
  });
  const [, singleSeconds] = await timed(async () => {
    for (let index = 0; index < 10_000; index += 1) {
      const name = (index * 7919) % items;
      await archive.readText('configmaps', `namespace-${name % NAMESPACES}`, `settings-of-service-${name}`);
    }
  });
  archive.close();
  await cache.close();
  const peakMiB = Math.round((process.resourceUsage().maxRSS * 1024) / MIB);
  process.stdout.write(`${JSON.stringify({ read, unpackSeconds, readSeconds, singleSeconds, peakMiB })}\n`);
}

await main(process.argv[2] ?? '', Number(process.argv[3]));
