import type { ObjectStore } from '../domain/backup/objectStore.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** What was written with {@link toStoredJson}; undefined where there is no such object. */
export async function readStoredJson<T>(store: ObjectStore, key: string): Promise<T | undefined> {
  const content = await store.get(key);
  return content === undefined ? undefined : (JSON.parse(decoder.decode(content)) as T);
}

export function toStoredJson(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}
