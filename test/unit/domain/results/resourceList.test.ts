import { describe, expect, it } from '@jest/globals';
import type { PlanEntry } from '../../../../domain/plan/planEntry.ts';
import type { Outcome, OutcomeAction } from '../../../../domain/results/outcome.ts';
import {
  createdClaims,
  InvalidResourceListError,
  parseResourceList,
  ResourceList,
  resourceKey,
} from '../../../../domain/results/resourceList.ts';
import { readFixture } from './fixture.ts';

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
