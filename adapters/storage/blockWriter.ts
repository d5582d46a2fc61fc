import type { FileHandle } from 'node:fs/promises';

const BLOCK_BYTES = 1024 * 1024;

/** Appends many small pieces to a file in few large writes. */
export class BlockWriter {
  /** Bytes appended so far. */
  length = 0;
  private pending: Uint8Array[] = [];
  private pendingBytes = 0;

  constructor(private readonly handle: FileHandle) {}

  async append(content: Uint8Array): Promise<void> {
    this.pending.push(content);
    this.pendingBytes += content.length;
    this.length += content.length;
    if (this.pendingBytes >= BLOCK_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const block = Buffer.concat(this.pending, this.pendingBytes);
    this.pending = [];
    this.pendingBytes = 0;
    if (block.length > 0) await this.handle.writeFile(block);
  }
}
