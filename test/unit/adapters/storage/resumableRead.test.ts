import { describe, expect, it } from '@jest/globals';
import { type PartialContent, readResumable } from '../../../../adapters/storage/resumableRead.ts';
import { ObjectStoreError } from '../../../../domain/backup/objectStore.ts';

const CONTENT = Buffer.from('0123456789');

/** A server that breaks each answer after some bytes; the last entry holds for all further ones. */
class BreakingServer {
  readonly requests: { offset: number; etag: string | undefined }[] = [];
  etag = 'v1';
  ignoresRange = false;

  constructor(private readonly lengths: readonly number[]) {}

  request(offset: number, etag: string | undefined): Promise<PartialContent> {
    this.requests.push({ offset, etag });
    const length = this.lengths[Math.min(this.requests.length, this.lengths.length) - 1] ?? 0;
    const start = this.ignoresRange ? 0 : offset;
    async function* body(): AsyncIterable<Uint8Array> {
      for (const byte of CONTENT.subarray(start, start + length)) yield await Promise.resolve(Buffer.from([byte]));
      if (start + length < CONTENT.length) throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    }
    return Promise.resolve({
      etag: this.etag,
      length: CONTENT.length - start,
      fromOffset: start === offset && offset > 0,
      body: body(),
      discard: () => undefined,
    });
  }
}

function read(server: BreakingServer, signal?: AbortSignal, firstPauseMs = 1): AsyncIterable<Uint8Array> {
  return readResumable(
    {
      what: 'the object',
      request: (offset, etag) => server.request(offset, etag),
      toError: (error) =>
        error instanceof ObjectStoreError
          ? error
          : new ObjectStoreError('StoreUnavailable', `broken: ${String(error)}`),
    },
    signal,
    firstPauseMs,
  );
}

async function text(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let content = '';
  for await (const chunk of chunks) content += Buffer.from(chunk).toString();
  return content;
}

describe('readResumable', () => {
  it('reads in one go where nothing breaks', async () => {
    const server = new BreakingServer([10]);
    expect(await text(read(server))).toBe('0123456789');
    expect(server.requests).toEqual([{ offset: 0, etag: undefined }]);
  });

  it('asks for the rest of the same content', async () => {
    const server = new BreakingServer([4, 3, 10]);
    expect(await text(read(server))).toBe('0123456789');
    expect(server.requests).toEqual([
      { offset: 0, etag: undefined },
      { offset: 4, etag: 'v1' },
      { offset: 7, etag: 'v1' },
    ]);
  });

  it('skips what it has where the server ignores the range', async () => {
    const server = new BreakingServer([4, 10]);
    server.ignoresRange = true;
    expect(await text(read(server))).toBe('0123456789');
  });

  it('refuses the rest of another content', async () => {
    const server = new BreakingServer([4, 10]);
    const reading = (async () => {
      for await (const _chunk of read(server)) server.etag = 'v2';
    })();
    await expect(reading).rejects.toMatchObject({
      type: 'StoreUnavailable',
      message: 'the object: replaced while it was read',
    });
  });

  it('gives up after attempts that bring nothing', async () => {
    const server = new BreakingServer([2, 0]);
    await expect(text(read(server))).rejects.toMatchObject({ type: 'StoreUnavailable' });
    expect(server.requests.length).toBe(7);
  });

  it('does not try again what cannot get better', async () => {
    const source = {
      what: 'x',
      request: () => Promise.reject(new ObjectStoreError('NotFound', 'gone')),
      toError: (error: unknown) => error as ObjectStoreError,
    };
    await expect(text(readResumable(source))).rejects.toThrow('gone');
  });

  it('stops while it waits for the next attempt', async () => {
    const server = new BreakingServer([0]);
    const controller = new AbortController();
    const reading = text(read(server, controller.signal, 60_000));
    setTimeout(() => {
      controller.abort();
    }, 50);
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests.length).toBe(1);
  });
});
