import { describe, expect, it } from '@jest/globals';
import { type ResourceSelector, type RestoreItemAction, updated } from '../../../../domain/actions/action.ts';
import { resolveActions } from '../../../../domain/actions/appliesTo.ts';
import { parseGroupResource } from '../../../../domain/kubernetes/groupResource.ts';
import { type ApiResource, ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';

function resource(groupResource: string, kind: string, shortNames: string[], namespaced: boolean): ApiResource {
  return {
    ...parseGroupResource(groupResource),
    version: 'v1',
    singular: kind.toLowerCase(),
    shortNames,
    kind,
    namespaced,
    verbs: ['list', 'create'],
  };
}

const TABLE = new ResourceTable(
  [
    resource('pods', 'Pod', ['po'], true),
    resource('persistentvolumeclaims', 'PersistentVolumeClaim', ['pvc'], true),
    resource('persistentvolumes', 'PersistentVolume', ['pv'], false),
    resource('deployments.apps', 'Deployment', ['deploy'], true),
    resource('datauploads.velero.io', 'DataUpload', [], true),
  ],
  [],
);

function action(appliesTo: ResourceSelector): RestoreItemAction {
  return { name: 'example.com/action', appliesTo, execute: ({ item }) => updated(item) };
}

/** `resource namespace/name` or `resource name`, perhaps with a label key behind it. */
const POD_1 = 'pods ns-1/pod-1';
const POD_2 = 'pods ns-2/pod-2';
const PVC_1 = 'persistentvolumeclaims ns-1/pvc-1';
const PVC_2 = 'persistentvolumeclaims ns-2/pvc-2';
const PV_1 = 'persistentvolumes pv-1';
const PV_2 = 'persistentvolumes pv-2';

/** Which of the items, in the form above, an action with this selector runs for. */
function itemsFor(appliesTo: ResourceSelector, items: readonly string[]): string[] {
  const [resolved] = resolveActions([action(appliesTo)], TABLE);
  return items.filter((item) => {
    const [groupResource = '', path = '', label] = item.split(' ');
    const namespace = path.includes('/') ? path.split('/')[0] : undefined;
    const labels = label === undefined ? {} : { [label]: '1' };
    return resolved?.appliesTo({ groupResource, targetNamespace: namespace, labels });
  });
}

describe('which items an action runs for', () => {
  it.each<[string, ResourceSelector, string[], string[]]>([
    ['R-057 no selector: all items', {}, [POD_1, POD_2, PV_1, PV_2], [POD_1, POD_2, PV_1, PV_2]],
    ['R-058 pods', { includedResources: ['pods'] }, [POD_1, POD_2, PV_1, PV_2], [POD_1, POD_2]],
    ['R-059 persistentvolumes', { includedResources: ['persistentvolumes'] }, [POD_1, POD_2, PV_1, PV_2], [PV_1, PV_2]],
    [
      'R-060 namespace ns-1: nothing cluster-scoped',
      { includedNamespaces: ['ns-1'] },
      [POD_1, POD_2, PVC_1, PVC_2, PV_1, PV_2],
      [POD_1, PVC_1],
    ],
    [
      'R-061 pods in ns-1',
      { includedNamespaces: ['ns-1'], includedResources: ['pods'] },
      [POD_1, POD_2, PVC_1, PVC_2, PV_1, PV_2],
      [POD_1],
    ],
    [
      'R-062 pods with a label key',
      { includedResources: ['pods'], labelSelector: 'backup' },
      [
        `${POD_1} backup`,
        `${POD_2} backup`,
        'pods ns-1/pod-3',
        'pods ns-1/pod-4 other',
        `${PVC_1} backup`,
        `${PV_1} backup`,
      ],
      [`${POD_1} backup`, `${POD_2} backup`],
    ],
    ['R-063 short name po', { includedResources: ['po'] }, [POD_1, PV_1], [POD_1]],
    ['R-063 short name pv', { includedResources: ['pv'] }, [POD_1, PV_1], [PV_1]],
    [
      'R-064 a resource that has no item in the namespace',
      { includedNamespaces: ['ns-1'], includedResources: ['pods'] },
      [POD_2, PVC_1, PV_1],
      [],
    ],
    [
      'R-064 a cluster-scoped resource in a namespace',
      { includedNamespaces: ['ns-2'], includedResources: ['persistentvolumes'] },
      [POD_2, PVC_2, PV_1, PV_2],
      [],
    ],
    [
      'R-065 datauploads in namespace velero',
      { includedNamespaces: ['velero'], includedResources: ['datauploads.velero.io'] },
      ['datauploads.velero.io velero/du-1', 'datauploads.velero.io other/du-2'],
      ['datauploads.velero.io velero/du-1'],
    ],
    [
      'R-068 resource by its kind, label selector does not match',
      { includedResources: ['Pod'], labelSelector: 'nonexistent-label' },
      [POD_1, `${POD_2} other`],
      [],
    ],
    ['R-068 resource by its kind', { includedResources: ['Pod'] }, [POD_1, PV_1], [POD_1]],
    [
      'a namespace filter of everything takes cluster-scoped items',
      { includedNamespaces: ['*'] },
      [POD_1, PV_1],
      [POD_1, PV_1],
    ],
    ['an excluded namespace is not everything', { excludedNamespaces: ['ns-2'] }, [POD_1, POD_2, PV_1], [POD_1]],
    [
      'namespaces are globs',
      { includedNamespaces: ['ns-*'], excludedNamespaces: ['*-2'] },
      [POD_1, POD_2, PV_1],
      [POD_1],
    ],
    ['every namespace excluded', { excludedNamespaces: ['*'] }, [POD_1, PV_1], []],
    ['excluded resources', { excludedResources: ['po'] }, [POD_1, PVC_1, PV_1], [PVC_1, PV_1]],
    ['exclude wins', { includedResources: ['pods', 'pvc'], excludedResources: ['Pod'] }, [POD_1, PVC_1], [PVC_1]],
    ['* among excluded resources does not count', { excludedResources: ['*', 'pods'] }, [POD_1, PVC_1], [PVC_1]],
    ['unknown names only: nothing', { includedResources: ['widgets.example.com'] }, [POD_1, PV_1], []],
    [
      'unknown names are matched literally',
      { includedResources: ['widgets.example.com', 'pods'] },
      ['widgets.example.com ns-1/left', 'widgets ns-1/left', POD_1],
      ['widgets.example.com ns-1/left', POD_1],
    ],
    [
      'a name of a group does not match the core resource of that name',
      { includedResources: ['deploy'] },
      ['deployments.apps ns-1/web', 'deployments ns-1/web'],
      ['deployments.apps ns-1/web'],
    ],
    [
      'resources are globs over resource and group',
      { includedResources: ['*.velero.io'] },
      ['datauploads.velero.io velero/a', POD_1],
      ['datauploads.velero.io velero/a'],
    ],
    ['an absent label', { labelSelector: '!legacy' }, [POD_1, `${POD_2} legacy`], [POD_1]],
    ['an empty label selector', { labelSelector: '' }, [POD_1, PV_1], [POD_1, PV_1]],
  ])('%s', (_, selector, items, expected) => {
    expect(itemsFor(selector, items)).toEqual(expected);
  });

  it('takes an empty target namespace for cluster-scoped', () => {
    const [everywhere, elsewhere] = resolveActions([action({}), action({ excludedNamespaces: ['ns-1'] })], TABLE);
    const candidate = { groupResource: 'persistentvolumes', targetNamespace: '', labels: {} };
    expect(everywhere?.appliesTo(candidate)).toBe(true);
    expect(elsewhere?.appliesTo(candidate)).toBe(false);
  });

  it('keeps the order and the actions', () => {
    const actions = [action({}), action({ includedResources: ['pods'] })];
    expect(resolveActions(actions, TABLE).map((resolved) => resolved.action)).toEqual(actions);
  });

  it('refuses a label selector that cannot be parsed, naming the action', () => {
    const resolve = () => resolveActions([action({ labelSelector: 'app in (' })], TABLE);
    expect(resolve).toThrow(expect.objectContaining({ type: 'ActionSelectorInvalid' }));
    expect(resolve).toThrow('label selector "app in (" of action example.com/action: ');
  });
});
