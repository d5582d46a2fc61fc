import { parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';
import type { Json } from './json.ts';

/** 16 digits or more, first or after a structural character: may be an integer beyond 2^53. A match inside a string costs time only. */
const MAY_HOLD_UNSAFE_INTEGER = /(?:^|[:[,])\s*-?\d{16}/;
const INTEGER = /^-?\d+$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** Go keeps an integer as int64 where it fits, otherwise as float64 (spec backup-format.md §5.3). */
function parseNumber(text: string): number | bigint {
  const number = Number(text);
  if (!INTEGER.test(text) || Number.isSafeInteger(number)) return number;
  const integer = BigInt(text);
  return integer >= INT64_MIN && integer <= INT64_MAX ? integer : number;
}

/**
 * Reads JSON text and keeps every digit of integers up to int64 (as `bigint` where a double cannot hold them).
 * @throws SyntaxError where the text is not JSON, RangeError where it is nested too deeply.
 */
export function parseJson(text: string): Json {
  if (!MAY_HOLD_UNSAFE_INTEGER.test(text)) return JSON.parse(text) as Json;
  // Like JSON.parse and Go: of a key that occurs twice the last value counts.
  return parseLossless(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }) as Json;
}

/** Writes JSON text; the counterpart of {@link parseJson}. */
export function renderJson(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify refuses bigint: rare enough to find out by trying.
    if (!(error instanceof TypeError)) throw error;
    return stringifyLossless(value) ?? 'null';
  }
}
