import type { Json } from '../json.ts';

/** A key of a JSON patch that is no index of the list. The message is that of Go's strconv or of evanphx/json-patch. */
export class GoIndexError extends Error {
  readonly type = 'GoIndex';
}

const INT64_LIMIT = 2n ** 63n;

/** Go's `strconv.Atoi`. @throws GoIndexError */
function atoi(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw new GoIndexError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const integer = BigInt(text.replace('+', ''));
  if (integer >= INT64_LIMIT || integer < -INT64_LIMIT) {
    throw new GoIndexError(`strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return integer;
}

/** Where an entry of the list is read, replaced or removed; negative indexes count from the end. @throws GoIndexError */
export function readIndex(list: readonly Json[], key: string): number {
  return within(atoi(key), list.length, list.length - 1);
}

/** Where an entry is inserted: -1 is behind the last one. @throws GoIndexError */
export function addIndex(list: readonly Json[], key: string): number {
  let index: bigint;
  try {
    index = atoi(key);
  } catch (error) {
    if (!(error instanceof GoIndexError)) throw error;
    throw new GoIndexError(`value was not a proper array index: '${key}': ${error.message}`);
  }
  return within(index, list.length + 1, list.length);
}

/** @param size what negative indexes are added to. @param last the highest one. */
function within(index: bigint, size: number, last: number): number {
  const position = index < 0n ? index + BigInt(size) : index;
  if (position >= 0n && position <= BigInt(last)) return Number(position);
  throw new GoIndexError(`Unable to access invalid index: ${index.toString()}: invalid index referenced`);
}
