import { isObject, type Json, type JsonObject } from '../../../../domain/json.ts';

/** MergePatch of RFC 7386 §2, as an API server applies it. */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, Json>(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, applyMergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/** A text that two values share only where they are the same but for the order of keys; shows own keys like `__proto__` too. */
export function canonical(value: Json): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}

/** What no merge patch can bring about: members of maps that are null. Those of lists stay. */
export function withoutNullMembers(value: JsonObject): JsonObject {
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([key, member]) => [key, isObject(member) ? withoutNullMembers(member) : member]),
  );
}
