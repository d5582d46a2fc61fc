import { describe, expect, it } from '@jest/globals';
import { type PartialContent, readResumable } from '../../../../adapters/storage/resumableRead.ts';
import { SharedTask } from '../../../../adapters/storage/sharedTask.ts';
import { ObjectStoreError } from '../../../../domain/backup/objectStore.ts';

/** A task that ends when told to, or when it is aborted. */
function controlled() {
  let end: (result: string) => void = () => undefined;
  let report: (progress: number) => void = () => undefined;
  let aborted = false;
  const task = new SharedTask<string, number>((signal, onProgress) => {
    report = onProgress;
    return new Promise((resolve, reject) => {
      end = resolve;
      signal.addEventListener('abort', () => {
        aborted = true;
        reject(new Error('given up'));
      });
    });
  });
  return { task, end: (r: string) => end(r), report: (p: number) => report(p), isAborted: () => aborted };
}

describe('SharedTask', () => {
  it('gives all who wait the same result and progress', async () => {
    const { task, end, report } = controlled();
    const seen: number[][] = [[], []];
    const waits = seen.map((list) => task.wait((progress) => list.push(progress)));
    report(1);
    report(2);
    end('done');
    expect(await Promise.all(waits)).toEqual(['done', 'done']);
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('goes on when one of two gives up', async () => {
    const { task, end, isAborted } = controlled();
    const controller = new AbortController();
    const first = task.wait(undefined, controller.signal);
    const second = task.wait();
    controller.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    expect(isAborted()).toBe(false);
    expect(task.alive).toBe(true);
    end('done');
    expect(await second).toBe('done');
  });

  it('is aborted when all have given up', async () => {
    const { task, isAborted } = controlled();
    const controller = new AbortController();
    const waits = [task.wait(undefined, controller.signal), task.wait(undefined, controller.signal)];
    controller.abort(new Error('enough'));
    expect((await Promise.allSettled(waits)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(isAborted()).toBe(true);
    expect(task.alive).toBe(false);
  });

  it('rejects one who comes with an aborted signal', async () => {
    const { task, isAborted } = controlled();
    await expect(task.wait(undefined, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(isAborted()).toBe(true);
  });

  it('gives all who wait the same error', async () => {
    const task = new SharedTask<string, number>(() => Promise.reject(new Error('broken')));
    await expect(task.wait()).rejects.toThrow('broken');
    await expect(task.wait()).rejects.toThrow('broken');
  });
});

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
