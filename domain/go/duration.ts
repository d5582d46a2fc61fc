/** Thrown for a text that Go's `time.ParseDuration` would refuse. */
export class GoDurationError extends Error {
  readonly type = 'GoDuration';
  constructor(
    readonly value: string,
    reason: string,
  ) {
    super(`duration ${JSON.stringify(value)}: ${reason}`);
    this.name = 'GoDurationError';
  }
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000;
const UNITS = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n], // micro sign
  ['\u03bcs', 1_000n], // Greek mu
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const EXPECTED = 'a Go duration such as 300ms, 1.5h or 2h45m (units ns, us, ms, s, m, h)';
const INT64_LIMIT = 2n ** 63n;

/** One number with its unit. The unit is whatever follows up to the next digit or dot, as in Go. */
const PART = /([0-9]*)(?:\.([0-9]*))?([^0-9.]+)/uy;

/**
 * Reads a duration with exactly the syntax of Go's `time.ParseDuration`: a sign, then numbers with an optional fraction and a
 * unit each; no days, no spaces; `0` needs no unit.
 * @returns milliseconds; a fraction of a millisecond is kept as such.
 * @throws GoDurationError for any other text and for what does not fit into Go's 64-bit nanoseconds (about 292 years).
 */
export function parseGoDuration(text: string): number {
  return Number(parseGoDurationNanoseconds(text)) / NANOSECONDS_PER_MILLISECOND;
}

function parseGoDurationNanoseconds(text: string): bigint {
  const negative = text.startsWith('-');
  const unsigned = negative || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0n;
  if (unsigned === '') throw new GoDurationError(text, `expected ${EXPECTED}`);
  let total = 0n;
  let position = 0;
  while (position < unsigned.length) {
    PART.lastIndex = position;
    const part = PART.exec(unsigned);
    if (part === null) throw new GoDurationError(text, `a number without a unit, expected ${EXPECTED}`);
    total += partNanoseconds(text, part[1] ?? '', part[2] ?? '', part[3] ?? '');
    if (total > INT64_LIMIT) throw new GoDurationError(text, 'too large, expected at most 2562047h');
    position = PART.lastIndex;
  }
  if (!negative && total === INT64_LIMIT) throw new GoDurationError(text, 'too large, expected at most 2562047h');
  return negative ? -total : total;
}

function partNanoseconds(text: string, whole: string, fraction: string, unitName: string): bigint {
  if (whole === '' && fraction === '') throw new GoDurationError(text, `a unit without a number, expected ${EXPECTED}`);
  const unit = UNITS.get(unitName);
  if (unit === undefined)
    throw new GoDurationError(text, `unknown unit ${JSON.stringify(unitName)}, expected ${EXPECTED}`);
  return BigInt(whole === '' ? 0 : whole) * unit + fractionNanoseconds(fraction, unit);
}

/** Go computes fractions in float64 over as many digits as an int64 holds; the same steps give the same nanosecond. */
function fractionNanoseconds(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (next > INT64_LIMIT) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/**
 * Writes a duration as Go's `Duration.String` does: `1h15m30.918s`, `4.5ms`, `0s`.
 * @param milliseconds rounded to whole nanoseconds.
 * @throws GoDurationError where the number is not finite or does not fit into Go's 64-bit nanoseconds.
 */
export function formatGoDuration(milliseconds: number): string {
  const rounded = Math.round(milliseconds * NANOSECONDS_PER_MILLISECOND);
  if (!Number.isFinite(rounded) || Math.abs(rounded) >= Number(INT64_LIMIT)) {
    throw new GoDurationError(String(milliseconds), 'expected milliseconds of at most 292 years');
  }
  const sign = rounded < 0 ? '-' : '';
  return sign + formatNanoseconds(BigInt(Math.abs(rounded)));
}

function formatNanoseconds(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1_000n) return `${nanoseconds.toString()}ns`;
  if (nanoseconds < 1_000_000n) return `${formatDecimal(nanoseconds, 3)}\u00b5s`;
  if (nanoseconds < 1_000_000_000n) return `${formatDecimal(nanoseconds, 6)}ms`;
  const minutes = nanoseconds / 60_000_000_000n;
  const seconds = `${formatDecimal(nanoseconds % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  if (minutes < 60n) return `${minutes.toString()}m${seconds}`;
  return `${(minutes / 60n).toString()}h${(minutes % 60n).toString()}m${seconds}`;
}

/** `value` divided by 10 to the power of `places`, without zeros at the end. */
function formatDecimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  const whole = digits.slice(0, -places);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
