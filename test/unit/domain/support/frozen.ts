import type { Json } from '../../../../domain/json.ts';

/** The value itself, which from now on throws where it is changed (in modules; all of these are). */
export function frozen<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
