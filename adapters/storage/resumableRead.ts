import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectStoreError } from '../../domain/backup/objectStore.ts';
import { isAbort } from './errorParts.ts';

/** Attempts in a row that bring no new byte before a read fails. */
const READ_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 200;

/** Answer to a request for the rest of an object. */
export interface PartialContent {
  readonly etag: string | undefined;
  /** Length of this answer in bytes, where it says. */
  readonly length: number | undefined;
  /** False where the answer begins at the start of the object, whatever was asked for. */
  readonly fromOffset: boolean;
  readonly body: AsyncIterable<Uint8Array>;
  /** Gives up the body without reading it. */
  discard(): void;
}

export interface ResumableSource {
  /** Names the object in messages. */
  readonly what: string;
  /** Asks for what follows `offset`, provided that the object still has `etag`. @throws ReplacedError where it has not */
  request(offset: number, etag: string | undefined): Promise<PartialContent>;
  toError(error: unknown): ObjectStoreError;
}

/** The object is no longer what it was when the read began: what was read is of no use. */
export class ReplacedError extends ObjectStoreError {
  constructor(what: string) {
    super('StoreUnavailable', `${what}: replaced while it was read`);
  }
}

interface Position {
  offset: number;
  etag: string | undefined;
  total: number | undefined;
  done: boolean;
}

/** Reads from the position to the end of the object or of the connection. */
async function* readOn(source: ResumableSource, position: Position): AsyncIterable<Uint8Array> {
  const answer = await source.request(position.offset, position.etag);
  if (position.etag !== undefined && answer.etag !== position.etag) {
    answer.discard();
    throw new ReplacedError(source.what);
  }
  position.etag ??= answer.etag;
  position.total ??= answer.length;
  // A server that ignores Range begins anew.
  let skip = answer.fromOffset ? 0 : position.offset;
  for await (const chunk of answer.body) {
    const fresh = chunk.subarray(Math.min(skip, chunk.length));
    skip -= chunk.length - fresh.length;
    if (fresh.length === 0) continue;
    position.offset += fresh.length;
    yield fresh;
  }
  if (position.total !== undefined && position.offset < position.total) {
    throw new ObjectStoreError('StoreUnavailable', `${source.what}: the connection ended early`);
  }
  position.done = true;
}

/**
 * Streams an object; where the connection breaks, the rest is asked for, as long as every few attempts bring something new and the
 * object is still the same.
 * @param firstPauseMs before the first new attempt, doubled for each that brings nothing; default 200.
 * @throws ObjectStoreError, or the reason of the signal
 */
export async function* readResumable(
  source: ResumableSource,
  signal?: AbortSignal,
  firstPauseMs = FIRST_PAUSE_MS,
): AsyncIterable<Uint8Array> {
  const position: Position = { offset: 0, etag: undefined, total: undefined, done: false };
  let attempt = 1;
  while (!position.done) {
    const before = position.offset;
    try {
      yield* readOn(source, position);
    } catch (error) {
      signal?.throwIfAborted();
      if (isAbort(error) || error instanceof ReplacedError) throw error;
      const mapped = source.toError(error);
      attempt = position.offset > before ? 1 : attempt + 1;
      if (!mapped.retryable || attempt > READ_ATTEMPTS) throw mapped;
      await sleep(firstPauseMs * 2 ** (attempt - 1), undefined, signal === undefined ? {} : { signal });
    }
  }
}
