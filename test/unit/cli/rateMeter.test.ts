import { describe, expect, it } from '@jest/globals';
import { RateMeter } from '../../../cli/run/rateMeter.ts';

function meter(...samples: [number, number][]): RateMeter {
  const made = new RateMeter();
  for (const [seconds, done] of samples) made.add(seconds * 1_000, done);
  return made;
}

describe('RateMeter', () => {
  it.each<[string, [number, number][], number | undefined]>([
    ['nothing', [], undefined],
    ['one look', [[0, 5]], undefined],
    [
      'less than a second',
      [
        [0, 0],
        [0.5, 50],
      ],
      undefined,
    ],
    [
      'a steady pace',
      [
        [0, 0],
        [1, 10],
        [2, 20],
      ],
      10,
    ],
    [
      'only the last 15 seconds',
      [
        [0, 0],
        [10, 1_000],
        [20, 1_010],
        [30, 1_020],
      ],
      1,
    ],
    [
      'a count that fell (a worker was lost)',
      [
        [0, 10],
        [2, 8],
      ],
      0,
    ],
  ])('measures %s', (_, samples, expected) => {
    expect(meter(...samples).perSecond).toBe(expected);
  });

  it('tells when the rest will be done', () => {
    expect(meter([0, 0], [2, 20]).secondsTo(120)).toBe(10);
    expect(meter([0, 0], [2, 20]).secondsTo(20)).toBeUndefined();
    expect(meter([0, 20], [2, 20]).secondsTo(100)).toBeUndefined();
    expect(meter().secondsTo(100)).toBeUndefined();
  });
});
