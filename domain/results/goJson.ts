const ESCAPED_BY_GO: ReadonlyMap<string, string> = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
]);

/**
 * JSON text as Go's `json.Encoder` writes it, the line end included: keys in the order they have, without spaces, and with
 * `<`, `>`, `&`, U+2028 and U+2029 escaped. All of these occur inside strings only, so replacing them afterwards is safe.
 */
export function renderGoJson(value: object): string {
  const text = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return ESCAPED_BY_GO.get(character) ?? character;
  });
  return `${text}\n`;
}

/** Go's order of strings: by code points, where JavaScript's `<` goes by UTF-16 units. For `sort`. */
export function compareGoStrings(a: string, b: string): number {
  if (a === b) return 0;
  const left = a[Symbol.iterator]();
  const right = b[Symbol.iterator]();
  for (;;) {
    const [one, other] = [left.next().value, right.next().value];
    if (one === undefined) return other === undefined ? 0 : -1;
    if (other === undefined) return 1;
    if (one !== other) return (one.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
  }
}

/** A copy of `record` with its keys in Go's order, as Go writes a map. `__proto__` stays a key like any other. */
export function sortedRecord<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => compareGoStrings(a, b)));
}
