import { describe, expect, it } from '@jest/globals';
import {
  type RestoreItemAction,
  type RestoreItemActionInput,
  skipRestore,
  updated,
} from '../../../../domain/actions/action.ts';
import type { WaitingItem } from '../../../../domain/item/prepareItem.ts';
import { getIn, getStringMap, setIn } from '../../../../domain/json.ts';
import { podOf } from '../support/items.ts';
import { advance, objectOf, prepare } from '../support/prepare.ts';

const labels = { 'velero.io/backup-name': 'backup-1', 'velero.io/restore-name': 'restore-1' };

function action(
  name: string,
  execute: RestoreItemAction['execute'],
  appliesTo: RestoreItemAction['appliesTo'] = {},
): RestoreItemAction {
  return { name, appliesTo, execute };
}

describe('actions', () => {
  const label = (key: string): RestoreItemAction =>
    action(`example.com/${key}`, ({ item: given }) => updated(setIn(given, ['metadata', 'labels', key], 'yes')));

  it('run in order, each on what the one before left, beside the pristine item', async () => {
    const seen: RestoreItemActionInput[] = [];
    const record = action('example.com/record', (input) => {
      seen.push(input);
      return Promise.resolve(updated(input.item));
    });
    const backup = podOf('ns-1/pod-1', { metadata: { uid: 'uid' } });

    const object = await objectOf(backup, {
      spec: { namespaceMapping: { 'ns-1': 'mapped' } },
      actions: [label('first'), record, label('second')],
    });

    expect(getStringMap(object, ['metadata', 'labels'])).toEqual({ first: 'yes', second: 'yes', ...labels });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.itemFromBackup).toBe(backup);
    expect(seen[0]?.item).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'ns-1', name: 'pod-1', labels: { first: 'yes' } },
    });
    expect(seen[0]?.restore.name).toBe('restore-1');
    expect(seen[0]?.backup.name).toBe('backup-1');
  });

  it.each([
    ['true', true],
    ['false', false],
  ])(
    'may mark their additional items as needed whatever the filters say (%s); the mark goes',
    async (value, mustInclude) => {
      const secret = { group: '', resource: 'secrets', namespace: 'ns-1', name: 'key' };
      const mark = action('example.com/mark', ({ item: given }) => {
        const annotations = { kept: 'yes', 'restore.velero.io/must-include-additional-items': value };
        return updated(setIn(given, ['metadata', 'annotations'], annotations), [secret]);
      });

      const result = await advance(podOf('ns-1/pod-1'), { actions: [mark] });

      expect(result).toMatchObject({ suspended: { additionalItems: [secret] } });
      const { suspended } = result as WaitingItem;
      expect(suspended.mustInclude ?? false).toBe(mustInclude);
      expect(getIn(suspended.item, ['metadata', 'annotations'])).toEqual({ kept: 'yes' });
    },
  );

  it.each<[string, RestoreItemAction['appliesTo'], boolean]>([
    ['labels as earlier actions left them', { labelSelector: 'first=yes' }, true],
    ['labels that no action has written', { labelSelector: 'second=yes' }, false],
    ['the target namespace', { includedNamespaces: ['mapped'] }, true],
    ['not the original namespace', { includedNamespaces: ['ns-1'] }, false],
    ['the resource', { includedResources: ['po'] }, true],
    ['another resource', { includedResources: ['services'] }, false],
  ])('apply by %s', async (_title, appliesTo, applies) => {
    const object = await objectOf(podOf('ns-1/pod-1'), {
      spec: { namespaceMapping: { 'ns-1': 'mapped' } },
      actions: [label('first'), { ...label('second'), appliesTo }],
    });

    expect('second' in getStringMap(object, ['metadata', 'labels'])).toBe(applies);
  });

  it('may end the item; those after it do not run', async () => {
    const result = await prepare(podOf('ns-1/pod-1'), {
      actions: [
        action('example.com/skip', ({ item: given }) => skipRestore(given)),
        action('example.com/never', () => {
          throw new Error('an action ran after the item had ended');
        }),
      ],
    });

    expect(result).toEqual({ end: { action: 'skipped', reason: 'action', tracked: true } });
  });

  it('may change the namespace in vain: the target namespace is set after them', async () => {
    const object = await objectOf(podOf('ns-1/pod-1'), {
      actions: [
        action('example.com/move', ({ item: given }) => updated(setIn(given, ['metadata', 'namespace'], 'other'))),
      ],
    });

    expect(getIn(object, ['metadata', 'namespace'])).toBe('ns-1');
  });

  it('that fail are the item’s error', async () => {
    const result = await prepare(podOf('ns-1/pod-1'), {
      actions: [action('example.com/fail', () => Promise.reject(new Error('no such class')))],
    });

    expect(result).toMatchObject({
      end: { action: 'failed', messages: [{ level: 'error', text: 'error preparing pods/ns-1/pod-1: no such class' }] },
    });
  });

  it('pass on what is the infrastructure’s fault', async () => {
    const fault = Object.assign(new Error('the API server is away'), { infrastructure: true });

    await expect(
      prepare(podOf('ns-1/pod-1'), { actions: [action('example.com/ask', () => Promise.reject(fault))] }),
    ).rejects.toBe(fault);
  });
});
