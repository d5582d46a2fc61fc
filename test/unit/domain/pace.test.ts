import { describe, expect, it } from '@jest/globals';
import { normalPace, sharesOf, whyNoMaxInFlight } from '../../../domain/pace.ts';

describe('shares of the shards at work', () => {
  it.each([
    ['the window, as nobody has set a limit', normalPace, 3, [16, 16, 16]],
    ['none while paused', { paused: true, maxInFlight: 0 }, 2, [0, 0]],
    ['none while paused with a limit', { paused: true, maxInFlight: 9 }, 2, [0, 0]],
    ['the same for all', { paused: false, maxInFlight: 8 }, 4, [2, 2, 2, 2]],
    ['what is left over for the first ones', { paused: false, maxInFlight: 10 }, 4, [3, 3, 2, 2]],
    ['one for as many as there are', { paused: false, maxInFlight: 2 }, 4, [1, 1, 0, 0]],
    ['all for the only one', { paused: false, maxInFlight: 100 }, 1, [100]],
    ['nothing where none is at work', { paused: false, maxInFlight: 5 }, 0, []],
  ])('%s', (_, pace, shards, expected) => {
    expect(sharesOf(pace, shards, 16)).toEqual(expected);
  });
});

describe('a limit', () => {
  it.each([0, 1, 10_000])('may be %p', (value) => {
    expect(whyNoMaxInFlight(value)).toBeUndefined();
  });

  it.each([-1, 1.5, 10_001, Number.NaN, '5', null, undefined])('may not be %p', (value) => {
    expect(whyNoMaxInFlight(value)).toMatch(/^max-in-flight: found .*, expected a whole number from 1 to 10000, or 0/);
  });
});
