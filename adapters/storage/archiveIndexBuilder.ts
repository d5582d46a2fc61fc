import { type ArchiveItem, itemPath } from '../../domain/backup/archiveEntry.ts';
import { ArchiveIndex, itemOfKey, rowKey } from './archiveIndex.ts';

/** Names quoted in a warning; the rest is counted. */
const QUOTED_NAMES = 10;

/** Quotes the first names of many. */
class NameList {
  private readonly names: string[] = [];
  private count = 0;

  add(name: string): void {
    this.count += 1;
    if (this.names.length < QUOTED_NAMES) this.names.push(JSON.stringify(name));
  }

  warning(text: string): string[] {
    if (this.count === 0) return [];
    const more = this.count - this.names.length;
    return [`${text}: ${this.names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`];
  }
}

/** Collects the items of an archive in the order of its entries. */
export class ArchiveIndexBuilder {
  /** Whether anything lies below `resources/`. */
  hasResources = false;
  private readonly keys: string[] = [];
  private readonly offsets: number[] = [];
  private readonly sizes: number[] = [];
  private readonly versions = new Map<string, Set<string>>();
  private readonly odd = new NameList();

  get length(): number {
    return this.keys.length;
  }

  add(item: ArchiveItem, offset: number, size: number): void {
    this.keys.push(rowKey(item));
    this.offsets.push(offset);
    this.sizes.push(size);
    if (item.versionDirectory !== undefined) this.addVersion(item.groupResource, item.versionDirectory);
  }

  /** An entry where nothing should be; it is left out with a warning. */
  addOdd(name: string): void {
    this.odd.add(name);
  }

  build(dataBytes: number): ArchiveIndex {
    const duplicates = new NameList();
    const order = this.lastOfEach(duplicates);
    const keys = order.map((entry) => this.keys[entry] ?? '');
    const keyEnds = new Uint32Array(order.length);
    let end = 0;
    keys.forEach((key, row) => {
      end += key.length;
      keyEnds[row] = end;
    });
    const rows = {
      keyEnds,
      offsets: Float64Array.from(order, (entry) => this.offsets[entry] ?? 0),
      sizes: Uint32Array.from(order, (entry) => this.sizes[entry] ?? 0),
      keys: Buffer.from(keys.join(''), 'latin1'),
    };
    return new ArchiveIndex(rows, {
      dataBytes,
      hasResources: this.hasResources,
      versionDirectories: this.versionDirectories(),
      warnings: [
        ...duplicates.warning('entries that are in the backup more than once, the last one is used'),
        ...this.odd.warning('entries that are no items, ignored'),
      ],
    });
  }

  private addVersion(groupResource: string, versionDirectory: string): void {
    const known = this.versions.get(groupResource);
    if (known === undefined) this.versions.set(groupResource, new Set([versionDirectory]));
    else known.add(versionDirectory);
  }

  /** Entry numbers sorted by key, of equal keys the last entry only. */
  private lastOfEach(duplicates: NameList): number[] {
    const order = Array.from(this.keys, (_key, entry) => entry);
    const keys = this.keys;
    order.sort((left, right) => {
      const [leftKey, rightKey] = [keys[left] ?? '', keys[right] ?? ''];
      if (leftKey === rightKey) return left - right;
      return leftKey < rightKey ? -1 : 1;
    });
    return order.filter((entry, position) => {
      const next = order[position + 1];
      if (next === undefined || keys[next] !== keys[entry]) return true;
      duplicates.add(itemPath(itemOf(keys[entry] ?? '')));
      return false;
    });
  }

  private versionDirectories(): Record<string, readonly string[]> {
    return Object.fromEntries(Array.from(this.versions, ([resource, names]) => [resource, [...names].sort()]));
  }
}

function itemOf(key: string): ArchiveItem {
  return itemOfKey(Buffer.from(key, 'latin1').toString('utf8'));
}
