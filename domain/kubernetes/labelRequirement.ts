/** Labels of an object, as in `metadata.labels`. */
type Labels = Readonly<Record<string, string>>;

export type LabelMatcher = (labels: Labels) => boolean;

/** Thrown for a label selector that Kubernetes would refuse. */
export class LabelSelectorError extends Error {
  readonly type = 'LabelSelector';
  /**
   * @param field where in the selector, e.g. `matchExpressions[0].operator`.
   * @param expected what Kubernetes wants there.
   */
  constructor(
    readonly field: string,
    readonly value: unknown,
    readonly expected: string,
  ) {
    super(`label selector: ${field} is ${JSON.stringify(value)}, expected ${expected}`);
    this.name = 'LabelSelectorError';
  }
}

const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const INTEGER = /^[+-]?\d+$/;
const INT64_LIMIT = 2n ** 63n;
const NAME_RULE = "letters, digits, '-', '_' and '.', starting and ending with a letter or digit, at most 63";

/** @throws LabelSelectorError where `key` is not `[<DNS subdomain>/]<name>`. */
export function checkLabelKey(field: string, key: string): void {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length > 1 ? parts[0] : undefined;
  const prefixIsValid = prefix === undefined || (prefix.length <= 253 && SUBDOMAIN.test(prefix));
  if (parts.length <= 2 && prefixIsValid && isName(name)) return;
  throw new LabelSelectorError(
    field,
    key,
    `a label key: ${NAME_RULE}, with an optional DNS subdomain and '/' before it`,
  );
}

/** @throws LabelSelectorError where `value` can be no label's value. */
export function checkLabelValue(field: string, value: string): void {
  if (value === '' || isName(value)) return;
  throw new LabelSelectorError(field, value, `a label value: empty, or ${NAME_RULE}`);
}

/** @throws LabelSelectorError where `value` is no 64-bit integer. */
export function parseLabelInteger(field: string, value: string): bigint {
  const integer = toInt64(value);
  if (integer === undefined) throw new LabelSelectorError(field, value, 'an integer');
  return integer;
}

export function hasLabel(key: string): LabelMatcher {
  return (labels) => Object.hasOwn(labels, key);
}

export function labelIsIn(key: string, values: readonly string[]): LabelMatcher {
  const wanted = new Set(values);
  return (labels) => {
    const value = labelOf(labels, key);
    return value !== undefined && wanted.has(value);
  };
}

/** Compares a label's integer with a limit; an object without the label, or with another kind of value, does not match. */
export function labelCompares(key: string, compare: (integer: bigint) => boolean): LabelMatcher {
  return (labels) => {
    const integer = toInt64(labelOf(labels, key) ?? '');
    return integer !== undefined && compare(integer);
  };
}

export function notMatching(matcher: LabelMatcher): LabelMatcher {
  return (labels) => !matcher(labels);
}

export function matchingAll(matchers: readonly LabelMatcher[]): LabelMatcher {
  return (labels) => matchers.every((matcher) => matcher(labels));
}

function isName(text: string): boolean {
  return text.length <= 63 && NAME.test(text);
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function toInt64(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const integer = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return integer >= -INT64_LIMIT && integer < INT64_LIMIT ? integer : undefined;
}
