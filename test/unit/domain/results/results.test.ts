import { describe, expect, it } from '@jest/globals';
import type { Message, MessageScope } from '../../../../domain/results/outcome.ts';
import {
  countResult,
  InvalidResultsFileError,
  isEmptyResult,
  mergeResult,
  parseResultsFile,
  type Result,
  ResultsBuilder,
  renderResultsFile,
} from '../../../../domain/results/results.ts';
import { readFixture } from './fixture.ts';

function error(scope: MessageScope, text: string): Message {
  return { level: 'error', scope, text };
}

function errorsOf(...messages: Message[]): Result {
  const builder = new ResultsBuilder();
  for (const message of messages) builder.add(message);
  return builder.build().errors;
}

const full: Result = { velero: ['v1'], cluster: ['c1'], namespaces: { shop: ['s1'], data: ['d1'] } };

describe('mergeResult', () => {
  it('R-240 empty into non-empty leaves it as it is, and the other way round', () => {
    expect(mergeResult(full, {})).toEqual(full);
    expect(mergeResult({}, full)).toEqual(full);
    expect(mergeResult({}, {})).toEqual({});
  });

  it('R-241 appends per scope and namespace', () => {
    const other: Result = { velero: ['v2'], cluster: ['c2'], namespaces: { shop: ['s2', 's3'], infra: ['i1'] } };
    expect(mergeResult(full, other)).toEqual({
      velero: ['v1', 'v2'],
      cluster: ['c1', 'c2'],
      namespaces: { shop: ['s1', 's2', 's3'], data: ['d1'], infra: ['i1'] },
    });
  });

  it('changes neither of the two', () => {
    const before = structuredClone(full);
    mergeResult(full, { namespaces: { shop: ['s2'] } });
    expect(full).toEqual(before);
  });
});

describe('ResultsBuilder', () => {
  it.each<[string, Message[], Result]>([
    ['R-242 first Velero error', [error('velero', 'a')], { velero: ['a'] }],
    ['R-242 second Velero error', [error('velero', 'b'), error('velero', 'a')], { velero: ['b', 'a'] }],
    ['R-243 empty namespace, first', [error({ namespace: '' }, 'a')], { cluster: ['a'] }],
    ['R-243 empty namespace, second', [error('cluster', 'b'), error({ namespace: '' }, 'a')], { cluster: ['b', 'a'] }],
    ['R-244 new namespace', [error({ namespace: 'n' }, 'a')], { namespaces: { n: ['a'] } }],
    [
      'R-244 known namespace',
      [error({ namespace: 'n' }, 'b'), error({ namespace: 'n' }, 'a')],
      { namespaces: { n: ['b', 'a'] } },
    ],
    ['a namespace called cluster', [error({ namespace: 'cluster' }, 'a')], { namespaces: { cluster: ['a'] } }],
    [
      'a namespace called constructor',
      [error({ namespace: 'constructor' }, 'a')],
      { namespaces: { constructor: ['a'] } },
    ],
  ])('%s', (_, messages, expected) => {
    expect(errorsOf(...messages)).toEqual(expected);
  });

  it('keeps warnings and errors apart and appends what is merged', () => {
    const builder = new ResultsBuilder();
    builder.add({ level: 'warning', scope: 'cluster', text: 'w' });
    builder.add(error('cluster', 'e'));
    builder.merge({ warnings: { cluster: ['w2'] }, errors: {} });
    expect(builder.build()).toEqual({ warnings: { cluster: ['w', 'w2'] }, errors: { cluster: ['e'] } });
  });
});

describe('isEmptyResult and countResult', () => {
  it.each<[string, Result, number]>([
    ['nothing', {}, 0],
    ['empty parts', { velero: [], cluster: [], namespaces: { shop: [] } }, 0],
    ['Velero', { velero: ['a'] }, 1],
    ['cluster', { cluster: ['a', 'b'] }, 2],
    ['namespaces', { namespaces: { a: ['1'], b: ['2', '3'] } }, 3],
    ['all', full, 4],
  ])('R-245 %s', (_, result, count) => {
    expect(countResult(result)).toBe(count);
    expect(isEmptyResult(result)).toBe(count === 0);
  });
});

describe('results file', () => {
  it.each(['labels-results.txt', 'no-cluster-results.txt'])('reads and writes %s of real Velero unchanged', (name) => {
    const { warnings, errors } = parseResultsFile(readFixture(name));
    expect(countResult(errors)).toBeGreaterThan(0);
    expect(renderResultsFile(warnings, errors)).toBe(readFixture(name));
  });

  it('writes an untroubled restore', () => {
    expect(renderResultsFile({}, {})).toBe('{"errors":{},"warnings":{}}\n');
    expect(renderResultsFile({ velero: [], namespaces: { a: [] } }, {})).toBe('{"errors":{},"warnings":{}}\n');
  });

  it('sorts namespaces and has the parts in the order velero, cluster, namespaces', () => {
    const errors = errorsOf(
      error({ namespace: 'b' }, '1'),
      error('cluster', '2'),
      error({ namespace: 'a' }, '3'),
      error('velero', '4'),
    );
    expect(renderResultsFile({}, errors)).toBe(
      '{"errors":{"velero":["4"],"cluster":["2"],"namespaces":{"a":["3"],"b":["1"]}},"warnings":{}}\n',
    );
  });

  it.each([
    ['', { warnings: {}, errors: {} }],
    ['{}', { warnings: {}, errors: {} }],
    ['{"errors":null,"warnings":{"velero":null,"namespaces":{"a":null}}}', { warnings: {}, errors: {} }],
    ['{"errors":{"namespaces":{"a":["x"]}}}', { warnings: {}, errors: { namespaces: { a: ['x'] } } }],
  ])('reads %s', (text, expected) => {
    expect(parseResultsFile(text)).toEqual(expected);
  });

  it.each([
    ['no', 'results file: found text that is not JSON'],
    ['[]', 'results file: found a list, expected a map'],
    ['{"errors":3}', 'results file: errors: found a number, expected a map'],
    ['{"warnings":{"velero":"x"}}', 'results file: warnings.velero: found a string, expected a list'],
    ['{"warnings":{"cluster":["x",{}]}}', 'results file: warnings.cluster.1: found a map, expected a string'],
    ['{"errors":{"namespaces":[]}}', 'results file: errors.namespaces: found a list, expected a map'],
    ['{"errors":{"namespaces":{"a":{}}}}', 'results file: errors.namespaces.a: found a map, expected a list'],
  ])('refuses %s', (text, message) => {
    expect(() => parseResultsFile(text)).toThrow(new InvalidResultsFileError(message.replace('results file: ', '')));
    expect(() => parseResultsFile(text)).toThrow(expect.objectContaining({ type: 'InvalidResultsFile' }));
  });
});
