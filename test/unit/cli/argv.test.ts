import { describe, expect, it } from '@jest/globals';
import { withExplicitBooleans } from '../../../cli/argv.ts';

describe('withExplicitBooleans', () => {
  it.each([
    ['stands alone', ['create', '--restore-volumes'], ['create', '--restore-volumes=true']],
    ['before an argument', ['--restore-volumes', 'nightly'], ['--restore-volumes=true', 'nightly']],
    ['with a value', ['--restore-volumes=false'], ['--restore-volumes=false']],
    ['another flag', ['--restore-volumes-x', '-w'], ['--restore-volumes-x', '-w']],
    ['behind --', ['--', '--restore-volumes'], ['--', '--restore-volumes']],
  ])('%s', (_, argv, expected) => {
    expect(withExplicitBooleans(argv, ['--restore-volumes'])).toEqual(expected);
  });
});
