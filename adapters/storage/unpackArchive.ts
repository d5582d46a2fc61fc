import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ExtractEvents, extract, type Header } from 'tar-stream';
import { classifyEntry, isBelowResources, refusedDirectory } from '../../domain/backup/archiveEntry.ts';
import { ArchiveError } from './archiveError.ts';
import { ArchiveIndexBuilder } from './archiveIndexBuilder.ts';
import type { ArchiveLimits } from './archiveLimits.ts';
import { BlockWriter } from './blockWriter.ts';
import { unpackError } from './unpackError.ts';

/** Names of the files of an unpacked archive. */
export const DATA_FILE = 'data';
export const INDEX_FILE = 'index';

type Entry = ExtractEvents['entry'][1];

const GUNZIP_CHUNK_BYTES = 256 * 1024;

export interface UnpackOptions {
  /** The compressed tarball. */
  readonly source: AsyncIterable<Uint8Array>;
  /** Names the tarball in messages. */
  readonly what: string;
  /** An existing empty directory; gets the data and the index. */
  readonly directory: string;
  readonly limits: ArchiveLimits;
  /** Called now and then with the number of items so far. */
  readonly onItems?: (items: number) => void;
}

async function contentOf(entry: Entry, size: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}

class Unpacking {
  readonly index = new ArchiveIndexBuilder();
  private readonly data: BlockWriter;
  private previous: { content: Buffer; offset: number } | undefined;

  constructor(
    handle: FileHandle,
    private readonly options: UnpackOptions,
  ) {
    this.data = new BlockWriter(handle);
  }

  get dataBytes(): number {
    return this.data.length;
  }

  async take(entry: Entry): Promise<void> {
    const { name } = entry.header;
    // The tar reader gives null for types it does not know.
    const type = entry.header.type as Header['type'] | null;
    if (type === 'directory') this.takeDirectory(name);
    else if (type === 'file' || type === 'contiguous-file') await this.takeFile(entry, entry.header);
    else throw this.error('UnsupportedEntry', name, `a ${type ?? 'special file'}, expected only files and directories`);
    entry.resume();
  }

  async finish(): Promise<void> {
    await this.data.flush();
  }

  private error(type: 'UnsupportedEntry' | 'InvalidEntryName', name: string, problem: string): ArchiveError {
    return new ArchiveError(type, `${this.options.what}: invalid archive path ${JSON.stringify(name)}: ${problem}`);
  }

  private takeDirectory(name: string): void {
    const reason = refusedDirectory(name);
    if (reason !== undefined) throw this.error('InvalidEntryName', name, reason);
    this.index.hasResources ||= isBelowResources(name);
  }

  private async takeFile(entry: Entry, { name, size }: Header): Promise<void> {
    const found = classifyEntry(name);
    if (found.kind === 'refused') throw this.error('InvalidEntryName', name, found.reason);
    this.index.hasResources ||= isBelowResources(name);
    this.checkLimits(name, size);
    if (found.kind === 'other') {
      if (found.odd) this.index.addOdd(name);
      return;
    }
    const content = await contentOf(entry, size);
    this.index.add(found.item, await this.store(content), content.length);
    this.options.onItems?.(this.index.length);
  }

  private checkLimits(name: string, size: number): void {
    const { limits, what } = this.options;
    if (size > limits.itemBytes) {
      const problem = `${size} bytes, the limit for an item is ${limits.itemBytes}`;
      throw new ArchiveError('EntryTooLarge', `${what}: ${JSON.stringify(name)} has ${problem}`);
    }
    if (this.index.length >= limits.items) {
      throw new ArchiveError('ArchiveTooLarge', `${what}: more than the limit of ${limits.items} items`);
    }
  }

  /** Velero stores an item twice in a row, with and without version folder: once is enough. */
  private async store(content: Buffer): Promise<number> {
    if (this.previous?.content.equals(content) === true) return this.previous.offset;
    const offset = this.data.length;
    await this.data.append(content);
    this.previous = { content, offset };
    return offset;
  }
}

/** Guards against a small archive that unzips without end. */
function limited({ limits, what }: UnpackOptions) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > limits.archiveBytes) {
        throw new ArchiveError('ArchiveTooLarge', `${what}: larger than the limit of ${limits.archiveBytes} bytes`);
      }
      yield chunk;
    }
  };
}

async function unpackEntries(options: UnpackOptions, unpacking: Unpacking): Promise<void> {
  const entries = extract();
  const gunzip = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES });
  let broken: { error: unknown } | undefined;
  const flow = pipeline(options.source, gunzip, limited(options), entries).catch((error: unknown) => {
    broken = { error };
  });
  let own: { error: unknown } | undefined;
  try {
    for await (const entry of entries) await unpacking.take(entry);
  } catch (error) {
    own = { error };
    entries.destroy();
  }
  await flow;
  // What went wrong upstream reaches the entries in disguise; what we object to ends the flow with an error of its own.
  const cause = own?.error instanceof ArchiveError ? own : (broken ?? own);
  if (cause !== undefined) throw cause.error;
}

/**
 * Unpacks a backup's tarball in one pass (spec backup-format.md §4, §5.1): the content of all items end to end into one file,
 * and an index of where each lies. Links, devices and names that could lead elsewhere fail the whole archive.
 * @throws ArchiveError, and whatever the source throws
 */
export async function unpackArchive(options: UnpackOptions): Promise<void> {
  try {
    const data = await open(join(options.directory, DATA_FILE), 'wx', 0o600);
    try {
      const unpacking = new Unpacking(data, options);
      await unpackEntries(options, unpacking);
      await unpacking.finish();
      await data.sync();
      await writeIndex(options.directory, unpacking);
    } finally {
      await data.close();
    }
  } catch (error) {
    throw unpackError(error, options.what, options.directory);
  }
}

async function writeIndex(directory: string, unpacking: Unpacking): Promise<void> {
  const handle = await open(join(directory, INDEX_FILE), 'wx', 0o600);
  try {
    for (const part of unpacking.index.build(unpacking.dataBytes).render()) await handle.writeFile(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
