import { describe, expect, it } from '@jest/globals';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { claimOf, podOf } from '../support/items.ts';
import { itemsOf, namespacesOf, planOf } from '../support/plans.ts';

const brokenPod = { groupResource: 'pods', namespace: 'ns-1', name: 'broken' };
const brokenVolume = { groupResource: 'persistentvolumes', namespace: undefined, name: 'pv-1' };

describe('damaged and empty backups', () => {
  it('R-041 a tarball without any item is one warning', async () => {
    const plan = await planOf({}, [], { hasResources: false });

    expect(plan).toEqual({
      entries: [],
      waves: [],
      messages: [
        {
          level: 'warning',
          scope: 'velero',
          text: 'zero items to be restored: directory "resources": does not exist',
        },
      ],
    });
  });

  it('R-041 a tarball with an empty resources folder is an empty plan', async () => {
    expect(await planOf({}, [])).toEqual({ entries: [], waves: [], messages: [] });
  });

  it.each<[string, RestoreSpec, string]>([
    ['R-042 one file is not JSON', {}, 'ns-1'],
    ['the error names the target namespace', { namespaceMapping: { 'ns-1': 'mapped-1' } }, 'mapped-1'],
  ])('%s', async (_title, spec, namespace) => {
    const plan = await planOf(spec, [podOf('ns-1/good')], { files: [{ item: brokenPod, text: 'not json' }] });

    expect(itemsOf(plan)).toEqual([`Pod ${namespace}/good`]);
    expect(plan.messages).toEqual([
      {
        level: 'error',
        scope: { namespace },
        text: 'error decoding "resources/pods/namespaces/ns-1/broken.json": invalid JSON at character 0',
      },
    ]);
  });

  it.each([
    ['kind', '{"apiVersion":"v1"}', `Object 'Kind' is missing in 'resources/pods/namespaces/ns-1/broken.json'`],
    ['apiVersion', '{"kind":"Pod"}', 'apiVersion: expected a text, it is missing'],
    ['a map', '[]', 'expected a JSON object, found an array'],
  ])('reports an item without %s', async (_title, text, reason) => {
    const plan = await planOf({}, [], { files: [{ item: brokenPod, text }] });

    expect(plan.entries).toEqual([]);
    expect(plan.messages).toEqual([
      {
        level: 'error',
        scope: { namespace: 'ns-1' },
        text: `error decoding "resources/pods/namespaces/ns-1/broken.json": ${reason}`,
      },
    ]);
  });

  it('reports what the source could not read, and goes on', async () => {
    const files = [{ item: brokenVolume, error: 'the archive ends in the middle of it' }];

    const plan = await planOf({}, [podOf('ns-1/good')], { files, warnings: ['pods/ns-1/good is there twice'] });

    expect(itemsOf(plan)).toEqual(['Pod ns-1/good']);
    expect(plan.messages).toEqual([
      { level: 'warning', scope: 'velero', text: 'pods/ns-1/good is there twice' },
      { level: 'error', scope: 'cluster', text: 'the archive ends in the middle of it' },
    ]);
  });

  it('reports an item once that is picked and asked for', async () => {
    const files = [{ item: brokenVolume, text: '{' }];

    const plan = await planOf({}, [claimOf('ns-1/data', 'pv-1')], { files });

    expect(plan.messages.filter((message) => message.level === 'error')).toEqual([
      {
        level: 'error',
        scope: 'cluster',
        text: 'error decoding "resources/persistentvolumes/cluster/pv-1.json": unexpected end of JSON input',
      },
    ]);
  });

  it('leaves a status that says nothing to the restore of that item', async () => {
    const plan = await planOf({}, [podOf('ns-1/odd', { status: 'gone' })]);

    expect(itemsOf(plan)).toEqual(['Pod ns-1/odd']);
    expect(plan.messages).toEqual([]);
  });

  it('plans a bare namespace where its own file is broken', async () => {
    const files = [{ item: { groupResource: 'namespaces', namespace: undefined, name: 'ns-1' }, text: 'x' }];

    const plan = await planOf({}, [podOf('ns-1/good')], { files });

    expect(namespacesOf(plan)).toEqual(['ns-1']);
    expect(plan.messages).toEqual([
      {
        level: 'error',
        scope: 'cluster',
        text: 'error decoding "resources/namespaces/cluster/ns-1.json": invalid JSON at character 0',
      },
    ]);
  });

  it('reads names through an unreadable definition as unknown ones', async () => {
    const files = [
      {
        item: {
          groupResource: 'customresourcedefinitions.apiextensions.k8s.io',
          namespace: undefined,
          name: 'widgets.example.com',
        },
        text: 'x',
      },
    ];

    const plan = await planOf({ includedResources: ['wd', 'pods'] }, [podOf('ns-1/good')], { files });

    expect(itemsOf(plan)).toEqual(['Pod ns-1/good']);
    expect(plan.messages).toEqual([]);
  });
});
