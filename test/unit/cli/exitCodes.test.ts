import { describe, expect, it } from '@jest/globals';
import { EXIT_CODES_HELP, exitCodeOf, exitCodes } from '../../../cli/exitCodes.ts';
import type { RestorePhase } from '../../../domain/restore/restore.ts';

describe('exitCodeOf', () => {
  it.each<[RestorePhase, boolean, number]>([
    ['Completed', false, 0],
    ['PartiallyFailed', false, 2],
    ['Failed', false, 3],
    ['FailedValidation', false, 3],
    ['Failed', true, 4],
    ['InProgress', false, 1],
  ])('%s (cancelled: %s) is %s', (phase, cancelled, expected) => {
    expect(exitCodeOf(phase, cancelled)).toBe(expected);
  });

  it('gives every outcome a code of its own, and says all of them in the help', () => {
    const codes = Object.values(exitCodes);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(EXIT_CODES_HELP).toMatch(new RegExp(`^ {2}${code} {2}\\w`, 'm'));
  });
});
