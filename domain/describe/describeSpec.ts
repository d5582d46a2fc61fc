import type { RestoreSpec } from '../restore/restore.ts';
import type { Line } from './columns.ts';
import { joined, mapLines, tristate } from './describeLines.ts';
import { formatLabelSelector } from './formatLabelSelector.ts';
import { printable } from './printable.ts';

/**
 * What was asked for: sections 7 to 13 and 16 to 19 of `velero restore describe` (spec cli-and-status.md §6, R-460, R-462).
 * @param volumes the sections between them.
 */
export function describeSpec(spec: RestoreSpec, volumes: readonly Line[][] = []): Line[][] {
  const orSelectors = (spec.orLabelSelectors ?? []).map(formatLabelSelector).join(' or ');
  return [
    [['Backup:', printable(spec.backupName ?? '')]],
    [
      ['Namespaces:'],
      ['  Included:', includedNamespaces(spec.includedNamespaces ?? [])],
      ['  Excluded:', joined(spec.excludedNamespaces, '<none>')],
    ],
    [
      ['Resources:'],
      ['  Included:', joined(spec.includedResources, '*')],
      ['  Excluded:', joined(spec.excludedResources, '<none>')],
      ['  Cluster-scoped:', tristate(spec.includeClusterResources, 'included', 'excluded')],
    ],
    mapLines('Namespace mappings', spec.namespaceMapping),
    [['Label selector:', formatLabelSelector(spec.labelSelector)]],
    [['Or label selector:', orSelectors || '<none>']],
    [['Restore PVs:', tristate(spec.restorePVs, 'true', 'false')]],
    ...volumes,
    [
      ['Existing Resource Policy:', printable(spec.existingResourcePolicy ?? '') || '<none>'],
      ['ItemOperationTimeout:', printable(spec.itemOperationTimeout ?? '') || '<none>'],
    ],
    [['Preserve Service NodePorts:', tristate(spec.preserveNodePorts, 'true', 'false')]],
    describeResourceModifier(spec),
    describeUploaderConfig(spec),
  ];
}

function includedNamespaces(included: readonly string[]): string {
  const isAll = included.length === 0 || (included.length === 1 && included[0] === '*');
  return isAll ? 'all namespaces found in the backup' : joined(included, '');
}

function describeResourceModifier({ resourceModifier }: RestoreSpec): Line[] {
  if (resourceModifier === undefined) return [];
  return [
    ['Resource modifier:'],
    ['  Type:', printable(resourceModifier.kind)],
    ['  Name:', printable(resourceModifier.name)],
  ];
}

/** The heading stands wherever there is a configuration, as in Velero. */
function describeUploaderConfig({ uploaderConfig }: RestoreSpec): Line[] {
  if (uploaderConfig === undefined) return [];
  const { writeSparseFiles = false, parallelFilesDownload = 0 } = uploaderConfig;
  const lines: Line[] = [['Uploader config:']];
  if (writeSparseFiles) lines.push(['  Write Sparse Files:', 'true']);
  if (parallelFilesDownload > 0) lines.push(['  Parallel Restore:', String(parallelFilesDownload)]);
  return lines;
}
