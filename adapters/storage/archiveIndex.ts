import type { ArchiveItem } from '../../domain/backup/archiveEntry.ts';

/** What is known of an archive beside its items. */
export interface ArchiveSummary {
  readonly warnings: readonly string[];
  readonly hasResources: boolean;
  /** Length of the data file in bytes. */
  readonly dataBytes: number;
  /** Version folders of each resource, in name order (spec backup-format.md §6). */
  readonly versionDirectories: Readonly<Record<string, readonly string[]>>;
}

/** Columns of the index: keys are sorted by their bytes, those without version folder first. */
export interface ArchiveRows {
  /** End of each key in `keys`. */
  readonly keyEnds: Uint32Array;
  readonly offsets: Float64Array;
  readonly sizes: Uint32Array;
  readonly keys: Buffer;
}

interface Header extends ArchiveSummary {
  readonly format: typeof FORMAT;
  readonly rows: number;
  readonly keyBytes: number;
}

const FORMAT = 'durable-restore-index-1';
const ALIGNMENT = 8;
const SEPARATOR = '\0';
/** Nearly all names: their bytes are their characters. */
const ASCII = /^[\0-\x7f]*$/;

/**
 * The bytes by which an item is found, one character a byte: comparing such texts compares the UTF-8 bytes, as Go does.
 */
export function rowKey({ groupResource, namespace, name, versionDirectory }: ArchiveItem): string {
  const text = [versionDirectory ?? '', groupResource, namespace, name].join(SEPARATOR);
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The item of a {@link rowKey}, given in UTF-8. */
export function itemOfKey(text: string): ArchiveItem {
  const [versionDirectory = '', groupResource = '', namespace = '', name = ''] = text.split(SEPARATOR);
  const item = { groupResource, namespace, name };
  return versionDirectory === '' ? item : { ...item, versionDirectory };
}

/** Where each item of an unpacked archive lies: a few flat arrays, about 100 bytes an item. */
export class ArchiveIndex {
  readonly length: number;

  constructor(
    private readonly rows: ArchiveRows,
    readonly summary: ArchiveSummary,
  ) {
    this.length = rows.offsets.length;
  }

  /** Row of an item; -1 where it is not in the archive. */
  find(item: ArchiveItem): number {
    const key = Buffer.from(rowKey(item), 'latin1');
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.rows.keys.compare(key, 0, key.length, this.keyStart(middle), this.keyEnd(middle));
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  item(row: number): ArchiveItem {
    return itemOfKey(this.rows.keys.toString('utf8', this.keyStart(row), this.keyEnd(row)));
  }

  /** Byte position in the data file. */
  offset(row: number): number {
    return this.rows.offsets[row] ?? 0;
  }

  /** Length in bytes. */
  size(row: number): number {
    return this.rows.sizes[row] ?? 0;
  }

  /** Items of the unversioned paths, sorted by resource, namespace and name. */
  *unversioned(): Generator<ArchiveItem> {
    for (let row = 0; row < this.length; row += 1) {
      const item = this.item(row);
      if (item.versionDirectory !== undefined) return;
      yield item;
    }
  }

  /** The index as file content; the counterpart of {@link parseIndex}. */
  render(): Uint8Array[] {
    const { keyEnds, offsets, sizes, keys } = this.rows;
    const header: Header = { format: FORMAT, rows: this.length, keyBytes: keys.length, ...this.summary };
    const text = Buffer.from(JSON.stringify(header), 'utf8');
    // The numbers behind the header are read in place and must be aligned.
    const padding = ALIGNMENT - ((text.length + 1) % ALIGNMENT);
    return [text, Buffer.from(`${' '.repeat(padding)}\n`), ...[offsets, sizes, keyEnds].map(bytesOf), keys];
  }

  private keyStart(row: number): number {
    return row === 0 ? 0 : (this.rows.keyEnds[row - 1] ?? 0);
  }

  private keyEnd(row: number): number {
    return this.rows.keyEnds[row] ?? 0;
  }
}

function bytesOf(array: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function isHeader(value: unknown): value is Header {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'format') === FORMAT;
}

function parseHeader(text: string): Header | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHeader(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the content of an index file; undefined where it is damaged or of another format. */
export function parseIndex(content: Buffer): ArchiveIndex | undefined {
  const end = content.indexOf('\n') + 1;
  const header = end === 0 ? undefined : parseHeader(content.toString('utf8', 0, end));
  if (header === undefined) return undefined;
  const { rows, keyBytes } = header;
  if (content.length !== end + rows * 16 + keyBytes || end % ALIGNMENT !== 0) return undefined;
  // A buffer of its own: the pool of small buffers is not aligned.
  const numbers = new Uint8Array(content.subarray(end, end + rows * 16)).buffer;
  return new ArchiveIndex(
    {
      offsets: new Float64Array(numbers, 0, rows),
      sizes: new Uint32Array(numbers, rows * 8, rows),
      keyEnds: new Uint32Array(numbers, rows * 12, rows),
      keys: content.subarray(end + rows * 16),
    },
    header,
  );
}
