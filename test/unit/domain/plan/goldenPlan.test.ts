import { beforeAll, describe, expect, it } from '@jest/globals';
import { isCompleted } from '../../../../domain/item/completed.ts';
import { type JsonObject } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/jsonText.ts';
import type { PlanEntry } from '../../../../domain/plan/planEntry.ts';
import { itemPath } from '../../../../domain/plan/planSource.ts';
import { type GoldenBackup, readGoldenBackup, readGoldenList, readGoldenSpec } from '../support/goldenBackup.ts';
import { planOf, textsOf } from '../support/plans.ts';

const W16 = (name: string, volume: string): string =>
  `claim data/${name} keeps naming volume ${volume}, which is in the backup but not restored: it stays unbound unless the cluster has that volume and it is free`;
const W11 = 'includeClusterResources also creates the namespaces that the filter leaves out: data, infra';
const duplicate = (first: string, second: string): string =>
  `resources/${second}.json is not restored: resources/${first}.json becomes the same object`;

/** Restores by the real Velero 1.18.3 (test/golden/data/README.md): it lists exactly what we plan. */
describe('plans of golden restores', () => {
  const backups = new Map<string, GoldenBackup>();

  beforeAll(async () => {
    for (const name of ['full', 'shop']) backups.set(name, await readGoldenBackup(name));
  });

  it.each<[string, readonly string[], (readonly string[])?]>([
    ['plain', []],
    ['mapped', []],
    ['existing-none', [], ['data', 'infra', 'shop']],
    ['only-apps', []],
    ['labels', []],
    ['no-cluster', [W16('files-db-0', 'vol-retain'), W16('files-db-1', 'vol-delete')]],
    ['with-cluster', [W11]],
    ['shop-backup', []],
    ['hooks-spec', []],
    ['excludes', []],
    ['glob-nothing', ['included namespace "zz*" matches no namespace of the backup']],
    [
      'mapped-over-existing',
      [
        duplicate('namespaces/cluster/infra', 'namespaces/cluster/shop'),
        duplicate('serviceaccounts/namespaces/infra/default', 'serviceaccounts/namespaces/shop/default'),
        duplicate('configmaps/namespaces/infra/kube-root-ca.crt', 'configmaps/namespaces/shop/kube-root-ca.crt'),
      ],
      ['shop'],
    ],
  ])('%s', async (name, warnings, existing = []) => {
    // Velero lists a namespace only where it made it.
    const namespacesThere = existing.map((namespace) => `v1/Namespace ${namespace}`);
    const spec = readGoldenSpec(name);
    const backup = backups.get(spec.backupName ?? '');
    if (backup === undefined) throw new Error(`case ${name} is of a backup that is not here`);
    const golden = readGoldenList(name);

    const plan = await planOf(spec, [], backup);

    const texts = new Map(backup.files.map(({ item, text }) => [itemPath(item), text]));
    const planned = plan.entries.filter((entry) => !hasCompleted(entry, texts)).map(listedName);
    const listed = [...golden.keys()].filter((entry) => !entry.startsWith('networking.k8s.io/v1/IPAddress '));
    expect(planned.sort()).toEqual([...listed, ...namespacesThere].sort());
    expect(textsOf(plan, 'warning')).toEqual(warnings);
    expect(textsOf(plan, 'error')).toEqual([]);
    for (const entry of plan.entries.filter(({ volume }) => volume === 'provision')) {
      expect(golden.get(listedName(entry))).toBe('skipped');
    }
  });
});

function listedName(entry: PlanEntry): string {
  const name = entry.targetName ?? entry.name;
  const path = entry.targetNamespace === undefined ? name : `${entry.targetNamespace}/${name}`;
  return `${entry.apiVersion}/${entry.kind} ${path}`;
}

/** Such pods and jobs are skipped without being listed. */
function hasCompleted(entry: PlanEntry, texts: ReadonlyMap<string, string>): boolean {
  const text = texts.get(itemPath({ ...entry, namespace: entry.namespace })) ?? '{}';
  return isCompleted(entry.groupResource, parseJson(text) as JsonObject);
}
