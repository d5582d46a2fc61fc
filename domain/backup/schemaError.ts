/** The parts of a zod issue that say where and what; zod itself stays in `*.schema.ts`. */
export interface SchemaIssue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
}

const LONGEST_VALUE = 80;
const MAY_BE_SECRET = /secret|password|token|accesskey/i;

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** A value as messages show it: short, and never where its field sounds like a secret. */
export function showValue(field: string, value: unknown): string {
  if (value === undefined) return 'nothing';
  if (MAY_BE_SECRET.test(field)) return `a ${typeof value}`;
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return `a ${typeof value}`;
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function fieldName(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'document' : path.map(String).join('.');
}

function expectation(issue: SchemaIssue): string {
  if (issue.code === 'invalid_type' && typeof issue.expected === 'string') {
    const article = /^[aeiou]/.test(issue.expected) ? 'an' : 'a';
    return issue.expected === 'record' ? 'a map' : `${article} ${issue.expected}`;
  }
  if (issue.code === 'invalid_value' && issue.values !== undefined) {
    return issue.values.map((value) => JSON.stringify(value)).join(' or ');
  }
  return issue.message;
}

/** One line per issue: the field, the value found there and what was expected. */
export function describeSchemaIssues(input: unknown, issues: readonly SchemaIssue[], known: string): string[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys' && issue.keys !== undefined) {
      return issue.keys.map((key) => {
        const path = [...issue.path, key];
        return `${fieldName(path)}: unknown field (value ${showValue(key, valueAt(input, path))}), expected ${known}`;
      });
    }
    const field = fieldName(issue.path);
    return [`${field}: found ${showValue(field, valueAt(input, issue.path))}, expected ${expectation(issue)}`];
  });
}
