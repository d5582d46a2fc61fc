import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ArchiveItem } from '../../domain/backup/archiveEntry.ts';
import { ArchiveError } from './archiveError.ts';
import { type ArchiveIndex, parseIndex } from './archiveIndex.ts';
import { errorCode } from './errorParts.ts';
import { DATA_FILE, INDEX_FILE } from './unpackArchive.ts';

/** What is read at once when many items are read in file order. */
const BLOCK_BYTES = 4 * 1024 * 1024;

/**
 * What is read when one item is asked for: those asked for next lie beside it, as a plan has the order of the file. 16 MiB are kept.
 */
const PAGE_BYTES = 256 * 1024;
const KEPT_PAGES = 64;

/** Rows of the index that are read together. */
interface Block {
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
}

/** An unpacked archive: the index in memory, the data in a file that stays open. */
export class UnpackedArchive {
  /** Those who ask for the same page at once share one read. */
  private readonly pages = new LRUCache<number, Buffer>({
    max: KEPT_PAGES,
    fetchMethod: (page) => this.readPage(page),
  });

  private constructor(
    readonly index: ArchiveIndex,
    private readonly data: FileHandle,
  ) {}

  /**
   * Opens the files that `unpackArchive` made; undefined where they are missing, incomplete or of another format.
   * @throws ArchiveError `CacheUnusable`
   */
  static async open(directory: string): Promise<UnpackedArchive | undefined> {
    let data: FileHandle | undefined;
    try {
      const index = parseIndex(await readFile(join(directory, INDEX_FILE)));
      data = await open(join(directory, DATA_FILE), 'r');
      const { size } = await data.stat();
      if (index?.summary.dataBytes === size) return new UnpackedArchive(index, data);
      await data.close();
      return undefined;
    } catch (error) {
      await data?.close();
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw new ArchiveError('CacheUnusable', `${directory}: cannot be read (${code ?? 'unknown error'})`);
    }
  }

  async close(): Promise<void> {
    await this.data.close();
  }

  async readRow(row: number): Promise<string> {
    const offset = this.index.offset(row);
    const size = this.index.size(row);
    const page = Math.floor(offset / PAGE_BYTES);
    const start = offset - page * PAGE_BYTES;
    if (start + size > PAGE_BYTES) return (await this.readBytes(offset, size)).toString('utf8');
    return (await this.pages.forceFetch(page)).toString('utf8', start, start + size);
  }

  private readPage(page: number): Promise<Buffer> {
    const start = page * PAGE_BYTES;
    return this.readBytes(start, Math.min(PAGE_BYTES, this.index.summary.dataBytes - start));
  }

  /** Reads rows in the order in which they lie in the file; yields positions of `rows` with their text. */
  async *readRows(rows: Int32Array): AsyncIterable<{ position: number; text: string }> {
    const { index } = this;
    const order = Uint32Array.from(rows.keys()).sort(
      (left, right) => index.offset(rows[left] ?? 0) - index.offset(rows[right] ?? 0),
    );
    const sorted = Int32Array.from(order, (position) => rows[position] ?? 0);
    for (const block of this.blocks(sorted)) {
      const bytes = await this.readBytes(block.start, block.end - block.start);
      for (let at = block.first; at < block.last; at += 1) {
        const row = sorted[at] ?? 0;
        const start = index.offset(row) - block.start;
        yield { position: order[at] ?? 0, text: bytes.toString('utf8', start, start + index.size(row)) };
      }
    }
  }

  /** Neighbours in the file that fit into one block; an item that is larger makes a block of its own. */
  private *blocks(sorted: Int32Array): Iterable<Block> {
    let first = 0;
    while (first < sorted.length) {
      const start = this.index.offset(sorted[first] ?? 0);
      let end = start;
      let last = first;
      for (; last < sorted.length; last += 1) {
        const row = sorted[last] ?? 0;
        const next = Math.max(end, this.index.offset(row) + this.index.size(row));
        if (last > first && next - start > BLOCK_BYTES) break;
        end = next;
      }
      yield { start, end, first, last };
      first = last;
    }
  }

  private async readBytes(offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.data
        .read(buffer, filled, length - filled, offset + filled)
        .catch((error: unknown) => {
          throw new ArchiveError(
            'CacheUnusable',
            `unpacked backup: cannot be read (${errorCode(error) ?? 'unknown error'})`,
          );
        });
      if (bytesRead === 0) throw new ArchiveError('CacheUnusable', 'unpacked backup: shorter than its index says');
      filled += bytesRead;
    }
    return buffer;
  }

  /** Row of an item; -1 where it is not in the archive. */
  find(item: ArchiveItem): number {
    return this.index.find(item);
  }
}
