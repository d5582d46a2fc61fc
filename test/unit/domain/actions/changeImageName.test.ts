import { describe, expect, it } from '@jest/globals';
import { changeImageNameAction } from '../../../../domain/actions/changeImageName.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { pluginConfigMap, runAction } from './runAction.ts';

const NAME = 'velero.io/change-image-name';

function pod(image: Json): JsonObject {
  return { kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image }] } };
}

function mapped(data: Record<string, string>) {
  return { cluster: { 'configmaps velero': [pluginConfigMap(NAME, data)] } };
}

describe('velero.io/change-image-name', () => {
  it.each<[string, Record<string, string>, string, string]>([
    [
      'blanks around both parts',
      { a: '1.1.1.1:5000  ,  2.2.2.2:3000' },
      '1.1.1.1:5000/abc:test',
      '2.2.2.2:3000/abc:test',
    ],
    ['only the port', { a: '5000,3333' }, '1.1.1.1:5000/abc:test', '1.1.1.1:3333/abc:test'],
    ['the tag', { a: 'test,latest' }, '1.1.1.1:5000/abc:test', '1.1.1.1:5000/abc:latest'],
    ['the name', { a: 'abc:test,myproject:latest' }, '1.1.1.1:5000/abc:test', '1.1.1.1:5000/myproject:latest'],
    ['a part of the path only', { a: 'dev/,test/' }, 'dev/image1:dev', 'test/image1:dev'],
    ['every occurrence', { a: 'dev,test' }, 'dev/image1:dev', 'test/image1:test'],
    ['the first comma divides', { a: 'abc,x,y' }, 'abc:1', 'x,y:1'],
    ['no rule fits', { a: 'other,x' }, 'abc:1', 'abc:1'],
    ['a value without comma is no rule', { a: 'abc', b: 'abc:1,def:2' }, 'abc:1', 'def:2'],
    ['a value with nothing behind the comma is no rule', { a: 'abc,' }, 'abc:1', 'abc:1'],
    ['a blank behind the comma removes the part', { a: 'abc/, ' }, 'abc/x:1', 'x:1'],
    ['an empty old part goes between all characters', { a: ',x' }, 'ab', 'xaxbx'],
    ['an empty image stays', { a: ',x' }, '', ''],
    [
      'the first applicable rule by key wins, only it',
      { b: 'abc,second', a: 'abc,first', c: 'first,third' },
      'abc:1',
      'first:1',
    ],
    ['a rule that does not fit is passed over', { a: 'zzz,first', b: 'abc,second' }, 'abc:1', 'second:1'],
    ['replacement patterns mean nothing', { a: "abc,$&-$'-$$" }, 'abc:1', "$&-$'-$$:1"],
    ['patterns in the old part mean nothing', { a: 'a.c,x' }, 'abc:1', 'abc:1'],
  ])('%s', async (_, data, image, expected) => {
    expect((await runAction(changeImageNameAction, pod(image), mapped(data))).item).toEqual(pod(expected));
  });

  const template = (image: string): JsonObject => ({
    metadata: { labels: { app: 'web' } },
    spec: {
      initContainers: [{ image }],
      containers: [{ image }, { name: 'none' }],
      ephemeralContainers: [{ image: 'old:1' }],
    },
  });

  it.each<[string, (image: string) => JsonObject]>([
    ['Pod', (image) => template(image)],
    ...['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job'].map(
      (kind): [string, (image: string) => JsonObject] => [kind, (image) => ({ spec: { template: template(image) } })],
    ),
    ['CronJob', (image) => ({ spec: { jobTemplate: { spec: { template: template(image) } } } })],
  ])('changes containers and init containers of a %s, not ephemeral ones', async (kind, item) => {
    const output = await runAction(changeImageNameAction, { kind, ...item('old:1') }, mapped({ a: 'old,new' }));
    expect(output.item).toEqual({ kind, ...item('new:1') });
  });

  it.each([
    ['there is no ConfigMap', []],
    ['its data is empty', [pluginConfigMap(NAME, {})]],
    ['it is of another plugin', [pluginConfigMap('velero.io/change-storage-class', { a: 'abc,x' })]],
  ])('leaves the item alone where %s', async (_, configMaps) => {
    const output = await runAction(changeImageNameAction, pod('abc:1'), {
      cluster: { 'configmaps velero': configMaps, 'configmaps shop': [pluginConfigMap(NAME, { a: 'abc,x' })] },
    });
    expect(output.item).toEqual(pod('abc:1'));
  });

  it('does not look at the item at all without a mapping', async () => {
    const item: JsonObject = { kind: 'Pod', spec: { containers: 'none' } };
    expect((await runAction(changeImageNameAction, item)).item).toEqual(item);
  });

  it('refuses two ConfigMaps, in the words of Velero', async () => {
    const configMaps = [pluginConfigMap(NAME, {}, 'one'), pluginConfigMap(NAME, { a: 'b,c' }, 'two')];
    const run = runAction(changeImageNameAction, pod('abc:1'), { cluster: { 'configmaps velero': configMaps } });
    await expect(run).rejects.toMatchObject({
      type: 'PluginConfigAmbiguous',
      message:
        'found more than one ConfigMap matching label selector "velero.io/plugin-config,velero.io/change-image-name=RestoreItemAction": [one two]',
    });
  });

  it.each<[JsonObject, string]>([
    [{ kind: 'Pod', spec: { containers: {} } }, 'spec.containers: expected a list, found an object'],
    [pod(7), 'spec.containers[0].image: expected a string, found a number'],
    [
      { kind: 'CronJob', spec: { jobTemplate: { spec: { template: { spec: { initContainers: [1] } } } } } },
      'spec.jobTemplate.spec.template.spec.initContainers[0]: expected an object, found a number',
    ],
  ])('refuses %j', async (item, message) => {
    await expect(runAction(changeImageNameAction, item, mapped({ a: 'b,c' }))).rejects.toThrow(message);
  });
});
