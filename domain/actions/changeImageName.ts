import { getIn, type JsonObject } from '../json.ts';
import { type RestoreItemAction, updated } from './action.ts';
import { mapObjects, readString } from './itemFields.ts';
import { readPluginConfig } from './pluginConfig.ts';

const NAME = 'velero.io/change-image-name';

interface ImageRule {
  readonly oldPart: string;
  readonly newPart: string;
}

/**
 * Replaces parts of image names as the plugin ConfigMap says: each value is `<old part>,<new part>` (spec item-actions.md §5.4).
 * The first rule whose old part an image contains wins. Velero takes the rules in random order; here they come in the
 * order of their keys, so that a restore can be repeated.
 */
export const changeImageNameAction: RestoreItemAction = {
  name: NAME,
  appliesTo: {
    includedResources: [
      'deployments',
      'statefulsets',
      'daemonsets',
      'replicasets',
      'replicationcontrollers',
      'jobs',
      'cronjobs',
      'pods',
    ],
  },
  async execute(input) {
    const rules = imageRules(await readPluginConfig(input, NAME));
    if (rules.length === 0) return updated(input.item);
    return updated(withImages(input.item, (image) => changeImage(image, rules)));
  },
};

/** Values without a comma or with nothing behind it are no rules; blanks around both parts do not count. */
function imageRules(config: Record<string, string>): ImageRule[] {
  return Object.keys(config)
    .sort()
    .flatMap((key) => {
      const row = config[key] ?? '';
      const comma = row.indexOf(',');
      if (comma < 0 || comma === row.length - 1) return [];
      return [{ oldPart: row.slice(0, comma).trim(), newPart: row.slice(comma + 1).trim() }];
    });
}

function changeImage(image: string, rules: readonly ImageRule[]): string {
  const rule = rules.find(({ oldPart }) => image.includes(oldPart));
  if (rule === undefined || image === '') return image;
  // A function, because `$&` and the like mean something in a replacement text.
  return image.replaceAll(rule.oldPart, () => rule.newPart);
}

function withImages(item: JsonObject, change: (image: string) => string): JsonObject {
  return ['containers', 'initContainers'].reduce(
    (changed, list) =>
      mapObjects(changed, [...podSpecPath(item), list], (container, path) => {
        const image = readString(changed, [...path, 'image']) ?? '';
        const newImage = change(image);
        return newImage === image ? container : { ...container, image: newImage };
      }),
    item,
  );
}

function podSpecPath(item: JsonObject): string[] {
  const kind = getIn(item, ['kind']);
  if (kind === 'Pod') return ['spec'];
  if (kind === 'CronJob') return ['spec', 'jobTemplate', 'spec', 'template', 'spec'];
  return ['spec', 'template', 'spec'];
}
