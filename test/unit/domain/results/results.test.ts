import { describe, expect, it } from '@jest/globals';
import type { PlanEntry } from '../../../../domain/plan/planEntry.ts';
import {
  addCounters,
  countOutcome,
  countOutcomes,
  itemsDone,
  noCounters,
} from '../../../../domain/results/counters.ts';
import {
  itemScope,
  type Message,
  type MessageScope,
  type Outcome,
  type OutcomeAction,
} from '../../../../domain/results/outcome.ts';
import {
  createdClaims,
  InvalidResourceListError,
  parseResourceList,
  ResourceList,
  resourceKey,
} from '../../../../domain/results/resourceList.ts';
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
  it('R-240 R-326 empty into non-empty leaves it as it is, and the other way round', () => {
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

describe('counters', () => {
  function outcome(action: OutcomeAction, messages: Outcome['messages'] = []): Outcome {
    return { index: 0, action, tracked: true, messages, at: '2026-05-04T08:00:00Z' };
  }

  const warning = { level: 'warning', scope: 'cluster', text: 'w' } as const;
  const error = { level: 'error', scope: 'velero', text: 'e' } as const;

  describe('countOutcome', () => {
    it.each(['created', 'updated', 'skipped', 'failed'] as const)('counts an item that was %s once', (action) => {
      expect(countOutcome(outcome(action))).toEqual({ ...noCounters, [action]: 1 });
    });

    it('counts messages by level, whatever became of the item', () => {
      const counters = countOutcome(outcome('created', [warning, error, warning]));
      expect(counters).toEqual({ ...noCounters, created: 1, warnings: 2, errors: 1 });
    });

    it('takes an outcome without messages', () => {
      const { messages: _, ...bare } = outcome('skipped');
      expect(countOutcome(bare)).toEqual({ ...noCounters, skipped: 1 });
    });
  });

  describe('countOutcomes', () => {
    it('adds up', () => {
      const all = [outcome('created'), outcome('failed', [error]), outcome('failed', [warning]), outcome('updated')];
      expect(countOutcomes(all)).toEqual({ created: 1, updated: 1, skipped: 0, failed: 2, warnings: 1, errors: 1 });
    });

    it('is zero for none', () => {
      expect(countOutcomes([])).toEqual(noCounters);
    });
  });

  describe('addCounters and itemsDone', () => {
    const some = { created: 1, updated: 2, skipped: 3, failed: 4, warnings: 5, errors: 6 };

    it('adds field by field', () => {
      expect(addCounters(some, some)).toEqual({
        created: 2,
        updated: 4,
        skipped: 6,
        failed: 8,
        warnings: 10,
        errors: 12,
      });
      expect(addCounters(noCounters, some)).toEqual(some);
    });

    it('counts items, not messages, as done', () => {
      expect(itemsDone(some)).toBe(10);
    });
  });

  describe('itemScope', () => {
    it('is the target namespace, or the cluster without one', () => {
      expect(itemScope('shop-copy')).toEqual({ namespace: 'shop-copy' });
      expect(itemScope(undefined)).toBe('cluster');
    });
  });
});

function entry(apiVersion: string, kind: string, name: string, more: Partial<PlanEntry> = {}): PlanEntry {
  return { index: 0, groupResource: kind === 'Namespace' ? 'namespaces' : 'things', apiVersion, kind, name, ...more };
}

function ended(action: OutcomeAction, more: Partial<Outcome> = {}): Outcome {
  return { index: 0, action, tracked: true, at: '2026-05-04T08:00:00Z', ...more };
}

function listOf(...pairs: [PlanEntry, Outcome][]): Readonly<Record<string, readonly string[]>> {
  const list = new ResourceList();
  for (const [item, outcome] of pairs) list.add(item, outcome);
  return list.content();
}

const inShop = { namespace: 'shop', targetNamespace: 'shop' };

describe('resourceKey', () => {
  it.each([
    ['v1', 'Namespace', 'v1/Namespace'],
    ['customized/v1', 'Cron', 'customized/v1/Cron'],
  ])('R-231 %s %s', (apiVersion, kind, key) => {
    expect(resourceKey({ apiVersion, kind })).toBe(key);
  });
});

describe('ResourceList', () => {
  it('R-232 a created namespace and a skipped ConfigMap', () => {
    const content = listOf(
      [entry('v1', 'Namespace', 'default'), ended('created')],
      [entry('v1', 'ConfigMap', 'cm', { namespace: 'default', targetNamespace: 'default' }), ended('skipped')],
    );
    expect(content).toEqual({ 'v1/Namespace': ['default(created)'], 'v1/ConfigMap': ['default/cm(skipped)'] });
  });

  it.each<[string, PlanEntry, Outcome, string | undefined]>([
    [
      'target namespace',
      entry('v1', 'Pod', 'p', { namespace: 'shop', targetNamespace: 'copy' }),
      ended('created'),
      'copy/p(created)',
    ],
    [
      'name the server gave',
      entry('v1', 'Pod', 'p-', inShop),
      ended('created', { createdName: 'p-x7' }),
      'shop/p-x7(created)',
    ],
    ['mapped namespace', entry('v1', 'Namespace', 'shop', { targetName: 'copy' }), ended('created'), 'copy(created)'],
    ['namespace that exists', entry('v1', 'Namespace', 'shop'), ended('skipped', { reason: 'exists' }), undefined],
    ['namespace that failed', entry('v1', 'Namespace', 'shop'), ended('failed'), undefined],
    [
      'completed pod',
      entry('v1', 'Pod', 'p', inShop),
      ended('skipped', { reason: 'completed', tracked: false }),
      undefined,
    ],
    ['second item of one name', entry('v1', 'Pod', 'p', inShop), ended('skipped', { reason: 'duplicate' }), undefined],
    [
      'volume that is not restored',
      entry('v1', 'PersistentVolume', 'v', { volume: 'provision' }),
      ended('skipped', { reason: 'volumeNotRestored' }),
      'v(skipped)',
    ],
    [
      'differs, a warning only',
      entry('v1', 'Pod', 'p', inShop),
      ended('failed', { reason: 'differs' }),
      'shop/p(failed)',
    ],
  ])('%s', (_, item, outcome, expected) => {
    expect(Object.values(listOf([item, outcome])).flat()).toEqual(expected === undefined ? [] : [expected]);
  });

  it.each(['labels-resource-list.txt', 'only-apps-resource-list.txt'])(
    'writes %s as real Velero did, in any order of items',
    (name) => {
      const pairs = Object.entries(parseResourceList(readFixture(name))).flatMap(([key, texts]) =>
        texts.map((text): [PlanEntry, Outcome] => {
          const [, namespace, itemName, action] = /^(?:(.+)\/)?(.+)\((.+)\)$/.exec(text)!;
          const place = namespace === undefined ? {} : { namespace, targetNamespace: namespace };
          const slash = key.lastIndexOf('/');
          const item = entry(key.slice(0, slash), key.slice(slash + 1), itemName!, place);
          return [item, ended(action as OutcomeAction)];
        }),
      );
      expect(pairs.length).toBeGreaterThan(10);
      const list = new ResourceList();
      for (const [item, outcome] of pairs.reverse()) list.add(item, outcome);
      expect(list.render()).toBe(readFixture(name));
    },
  );

  it('renders no items', () => {
    expect(new ResourceList().render()).toBe('{}\n');
  });
});

describe('createdClaims', () => {
  const claims = 'v1/PersistentVolumeClaim';

  it.each<[string, Record<string, string[]>, string[]]>([
    ['R-233 empty list', {}, []],
    [
      'R-234 updated claim and created volume',
      { [claims]: ['a/b(updated)'], 'v1/PersistentVolume': ['v(created)'] },
      [],
    ],
    [
      'R-235 created, updated, and a name with parentheses',
      { [claims]: ['a/b(created)', 'a/c(updated)', 'a/d(failed)(created)', 'a/e(created)(failed)'] },
      ['a/b', 'a/d(failed)'],
    ],
  ])('%s', (_, content, expected) => {
    expect(createdClaims(content)).toEqual(expected);
  });
});

describe('parseResourceList', () => {
  it.each([
    ['no', 'found text that is not JSON'],
    ['[]', 'expected a map of lists'],
    ['{"v1/Pod":{}}', 'v1/Pod: expected a list'],
    ['{"v1/Pod":["a",1]}', 'v1/Pod.1: expected a string'],
  ])('refuses %s', (text, problem) => {
    expect(() => parseResourceList(text)).toThrow(new InvalidResourceListError(problem));
  });

  it('takes null for an empty list', () => {
    expect(parseResourceList('{"v1/Pod":null}')).toEqual({ 'v1/Pod': [] });
  });
});
