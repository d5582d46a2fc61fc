/** Thrown for a text that Kubernetes would not take for a quantity. */
export class QuantityError extends Error {
  readonly type = 'Quantity';
  constructor(readonly value: string) {
    super(
      `${JSON.stringify(value)} is no quantity: expected a number with an optional unit, such as 100m, 128Mi or 1.5`,
    );
    this.name = 'QuantityError';
  }
}

const SYNTAX = /^([+-]?)(\d*\.?\d*)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d+)?$/;
const BINARY: Readonly<Record<string, bigint>> = Object.fromEntries(
  ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((unit, index) => [unit, 1024n ** BigInt(index + 1)]),
);
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const NANO_DIGITS = 9;
/** Kubernetes caps what has a binary unit. */
const LARGEST = (2n ** 63n - 1n) * 10n ** 9n;

/**
 * Reads a quantity with the syntax of `resource.ParseQuantity` of k8s.io/apimachinery, where a number without digits is zero.
 * @returns billionths, what is smaller rounded away from zero.
 * @throws QuantityError
 */
export function parseQuantity(text: string): bigint {
  const match = SYNTAX.exec(text);
  if (match === null || text === '') throw new QuantityError(text);
  const [, sign = '', number = '', unit = ''] = match;
  const [whole = '', fraction = ''] = number.split('.');
  const digits = BigInt(`${whole}${fraction}` || '0');
  const isBinary = Object.hasOwn(BINARY, unit);
  const factor = isBinary ? (BINARY[unit] ?? 1n) : 1n;
  const exponent = exponentOf(unit) + NANO_DIGITS - fraction.length;
  const scaled = digits * factor;
  const size = exponent >= 0 ? scaled * 10n ** BigInt(exponent) : divideUp(scaled, 10n ** BigInt(-exponent));
  const capped = isBinary && size > LARGEST ? LARGEST : size;
  return sign === '-' ? -capped : capped;
}

function exponentOf(unit: string): number {
  if (Object.hasOwn(DECIMAL, unit)) return DECIMAL[unit] ?? 0;
  return /^[eE]/.test(unit) && unit !== 'Ei' ? Number(unit.slice(1)) : 0;
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** Whole units of a quantity, as `Quantity.Value()` has them: rounded up. @throws QuantityError */
export function quantityValue(text: string): bigint {
  const nano = parseQuantity(text);
  const unit = 10n ** BigInt(NANO_DIGITS);
  return nano >= 0n ? divideUp(nano, unit) : -divideUp(-nano, unit);
}
