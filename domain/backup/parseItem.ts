import { parse as parseLossless } from 'lossless-json';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { parseJson } from '../jsonText.ts';

/** An item of the backup that cannot be read; that item is an error of its target namespace, the others go on. */
export class ItemDecodeError extends Error {
  readonly type = 'ItemDecode';
  /** @param path relative to the archive's root. @param cause never holds content of the item: it may be a Secret. */
  constructor(path: string, cause: string) {
    super(`error decoding "${path}": ${cause}`);
    this.name = 'ItemDecodeError';
  }
}

/** Character position of a JSON syntax error. V8 quotes the text around it and often leaves the position out. */
function jsonErrorPosition(text: string): number | undefined {
  try {
    parseLossless(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
    return undefined;
  } catch (error) {
    const position = error instanceof Error ? /at position (\d+)$/.exec(error.message)?.[1] : undefined;
    return position === undefined ? undefined : Number(position);
  }
}

/** Says what is wrong with JSON text without quoting any of it. */
export function describeJsonError(text: string, error: unknown): string {
  if (error instanceof RangeError) return 'the JSON is nested too deeply';
  const position = jsonErrorPosition(text);
  if (position === undefined) return 'invalid JSON';
  if (position >= text.trimEnd().length) return 'unexpected end of JSON input';
  return `invalid JSON at character ${position}`;
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `a ${typeof value === 'bigint' ? 'number' : typeof value}`;
}

/**
 * Reads the text of one item (spec backup-format.md §5.3): a JSON object with a non-empty `kind`; `apiVersion` is not looked
 * at. Integers up to int64 keep every digit.
 * @param path relative to the archive's root, for messages.
 * @throws ItemDecodeError
 */
export function parseItem(text: string, path: string): JsonObject {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new ItemDecodeError(path, describeJsonError(text, error));
  }
  if (!isObject(value)) throw new ItemDecodeError(path, `expected a JSON object, found ${typeName(value)}`);
  const kind = Object.hasOwn(value, 'kind') ? value['kind'] : undefined;
  if (typeof kind !== 'string' || kind === '') {
    // Velero quotes the whole item here; a Secret must not reach a message.
    throw new ItemDecodeError(path, `Object 'Kind' is missing in '${path}'`);
  }
  return value;
}
