import { getIn, type JsonObject, setIn } from '../json.ts';
import { type ActionCluster, type RestoreItemAction, updated } from './action.ts';
import { ActionError } from './actionError.ts';
import { mapObjects, readObjects, readString } from './itemFields.ts';
import { readPluginConfig } from './pluginConfig.ts';

const NAME = 'velero.io/change-storage-class';
const CLASS = ['spec', 'storageClassName'];
const TEMPLATES = ['spec', 'volumeClaimTemplates'];

/**
 * Changes storage classes as the plugin ConfigMap says, `<old class>: <new class>`, in claims, volumes and the claim templates of
 * StatefulSets (spec item-actions.md §5.5). The beta annotation is not looked at.
 * @throws ActionError `StorageClassMissing` with Velero's text where the new class is not in the target cluster; what the
 * cluster throws passes through, for it may be the API server's fault.
 */
export const changeStorageClassAction: RestoreItemAction = {
  name: NAME,
  appliesTo: { includedResources: ['persistentvolumeclaims', 'persistentvolumes', 'statefulsets'] },
  async execute(input) {
    const { item, cluster } = input;
    const mapping = await readPluginConfig(input, NAME);
    if (Object.keys(mapping).length === 0) return updated(item);
    if (getIn(item, ['kind']) === 'StatefulSet') return updated(await changeTemplates(item, mapping, cluster));
    const newClass = mappedClass(mapping, readString(item, CLASS));
    if (newClass === undefined) return updated(item);
    await checkClass(newClass, cluster);
    return updated(setIn(item, CLASS, newClass));
  },
};

async function changeTemplates(
  item: JsonObject,
  mapping: Record<string, string>,
  cluster: ActionCluster,
): Promise<JsonObject> {
  const newClasses = readObjects(item, TEMPLATES).map((_, index) =>
    mappedClass(mapping, readString(item, [...TEMPLATES, index, ...CLASS])),
  );
  for (const newClass of new Set(newClasses)) if (newClass !== undefined) await checkClass(newClass, cluster);
  let index = 0;
  return mapObjects(item, TEMPLATES, (template) => {
    const newClass = newClasses[index++];
    return newClass === undefined ? template : setIn(template, CLASS, newClass);
  });
}

function mappedClass(mapping: Record<string, string>, oldClass: string | undefined): string | undefined {
  if (oldClass === undefined || !Object.hasOwn(mapping, oldClass)) return undefined;
  return mapping[oldClass];
}

async function checkClass(name: string, cluster: ActionCluster): Promise<void> {
  // Without a name the request would be a list, which always succeeds.
  const found = name === '' ? undefined : await cluster.get('storageclasses.storage.k8s.io', undefined, name);
  if (found !== undefined) return;
  const reason = name === '' ? 'resource name may not be empty' : `storageclasses.storage.k8s.io "${name}" not found`;
  throw new ActionError('StorageClassMissing', `error getting storage class ${name} from API: ${reason}`);
}
