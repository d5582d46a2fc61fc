import { ObjectStoreError } from '../../domain/backup/objectStore.ts';

/** Upper bound of `get` where the caller gives none: 64 MiB. */
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Collects a stream into one buffer.
 * @param what names the object in the error.
 * @throws ObjectStoreError `InvalidConfiguration` where there is more than `maxBytes`.
 */
async function collect(
  chunks: AsyncIterable<Uint8Array>,
  what: string,
  maxBytes = DEFAULT_MAX_BYTES,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new ObjectStoreError('InvalidConfiguration', `${what}: larger than the limit of ${maxBytes} bytes`);
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts, length);
}

/** {@link collect}, with undefined where there is no such object. */
export async function collectIfPresent(
  chunks: AsyncIterable<Uint8Array>,
  what: string,
  maxBytes?: number,
): Promise<Uint8Array | undefined> {
  try {
    return await collect(chunks, what, maxBytes);
  } catch (error) {
    if (error instanceof ObjectStoreError && error.type === 'NotFound') return undefined;
    throw error;
  }
}
