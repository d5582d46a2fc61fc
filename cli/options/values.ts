import { InvalidArgumentError } from 'commander';

/** For flags that may be given several times: all values, in order. */
export function collect(value: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

/** @throws InvalidArgumentError */
export function integer(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('expected a whole number');
}

/** @throws InvalidArgumentError */
export function positiveInteger(value: string): number {
  const number = integer(value);
  if (number > 0) return number;
  throw new InvalidArgumentError('expected a whole number above 0');
}
