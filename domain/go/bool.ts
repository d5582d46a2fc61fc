/** Thrown for a text that Go's `strconv.ParseBool` would refuse. */
export class GoBoolError extends Error {
  readonly type = 'GoBool';
  constructor(readonly value: string) {
    super(`${JSON.stringify(value)} is no truth value: expected one of ${[...TRUE, ...FALSE].join(', ')}`);
    this.name = 'GoBoolError';
  }
}

const TRUE: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE: readonly string[] = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/**
 * Reads a truth value with exactly the spellings of Go's `strconv.ParseBool`; `yes` and `tRUE` are none.
 * @throws GoBoolError for any other text.
 */
export function parseGoBool(text: string): boolean {
  if (TRUE.includes(text)) return true;
  if (FALSE.includes(text)) return false;
  throw new GoBoolError(text);
}
