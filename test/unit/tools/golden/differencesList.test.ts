import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FoundDifference } from '../../../../tools/golden/comparison.ts';
import {
  entriesFor,
  type ListedDifference,
  readDifferences,
  sortDifferences,
} from '../../../../tools/golden/differences.ts';
import { findCases } from '../../../../tools/golden/goldenCase.ts';
import { committedData, differencesFile } from '../../../../tools/golden/goldenData.ts';

const documentation = new URL('../../../../docs/velero-differences.md', import.meta.url);

let listed: ListedDifference[];
let caseNames: string[];
let text: string;

beforeAll(async () => {
  listed = await readDifferences(differencesFile);
  caseNames = (await findCases(committedData.cases)).map(({ name }) => name);
  text = await readFile(documentation, 'utf8');
});

/** `<!-- difference: id -->` below a heading, by the part of the document that it is in. */
function documented(part: string): string[] {
  const [, section = ''] = text.split(`\n## ${part}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^### .+\n\n<!-- difference: ([a-z0-9-]+) -->$/gm)].map(([, id = '']) => id);
}

describe('the list of differences', () => {
  it('speaks of cases that exist', () => {
    const entries = listed.flatMap(({ entries: all }) => all);
    const idle = entries.filter((entry) => !caseNames.some((name) => entriesFor(name, listed).includes(entry)));
    expect(idle).toEqual([]);
  });

  it('is explained in words: what is meant to stay, and what is still to be built', () => {
    const ids = (stays: boolean): string[] =>
      listed.filter(({ until }) => (until === undefined) === stays).map(({ id }) => id);
    expect(documented('Meant to stay').sort()).toEqual(ids(true).sort());
    expect(documented('Not there yet').sort()).toEqual(ids(false).sort());
  });
});

const WARNING = 'already exists. Warning: the in-cluster version is different than the backed-up version';

/** Lines of faults that somebody's restore could have. */
const faults: readonly FoundDifference[] = [
  { kind: 'object', line: 'v1 ConfigMap shop/web-config  only in the first file' },
  { kind: 'object', line: 'v1 Pod shop/hooked  only in the first file' },
  {
    kind: 'object',
    line: 'v1 Pod shop/two-containers  .spec.initContainers: [{"name":"restore-prepare"}] -> (absent)',
  },
  { kind: 'object', line: 'v1 Pod shop/hooked  .spec.initContainers: (absent) -> [{"name":"restore-prepare"}]' },
  { kind: 'object', line: 'v1 Service shop/web  .spec.ports[0].nodePort: "#30080" -> "<assigned>"' },
  {
    kind: 'object',
    line: 'v1 ServiceAccount shop/web  .metadata.labels["velero.io/restore-name"]: "plain" -> (absent)',
  },
  { kind: 'object', line: 'before the restore: v1 ConfigMap shop/web-config  .data.greeting: "changed" -> "hello"' },
  { kind: 'object', line: 'rbac.authorization.k8s.io/v1 ClusterRole system:node  only in the second file' },
  ...[
    `warnings cluster: could not restore, ClusterRole:infra-agent ${WARNING}`,
    `warnings cluster: could not restore, PriorityClass:shop-critical ${WARNING}`,
    `warnings cluster: could not restore, FlowSchema:shop ${WARNING}`,
    `warnings cluster: could not restore, CustomResourceDefinition:gadgets.example.com ${WARNING}`,
    `warnings namespace data: could not restore, Widget:left ${WARNING}`,
    `warnings namespace data: could not restore, ConfigMap:db-config ${WARNING}`,
    `warnings namespace shop: could not restore, Service:web ${WARNING}`,
    // Listed only together with its line of the resource list.
    `warnings cluster: could not restore, ClusterRole:system:node ${WARNING}`,
    `warnings namespace data: could not restore, Service:db ${WARNING}`,
    // Listed only together with the same error and its hint.
    'errors namespace shop: error restoring widgets.example.com/shop/left: the server could not find the requested resource',
    'errors namespace shop: error restoring pods/shop/web-1: pods "web-1" is forbidden',
    'errors namespace shop: hook other in container main in pod shop/hooked not executed: context deadline exceeded',
  ].map((line) => ({ kind: 'results', line: `only in the first file (1): ${line}` }) as const),
  ...[
    'errors velero: the restore was cancelled',
    'errors namespace shop: error restoring secrets/shop/token: forbidden',
    'warnings namespace shop: claim shop/data keeps naming volume vol-retain, which is in the backup but not restored',
  ].map((line) => ({ kind: 'results', line: `only in the second file (1): ${line}` }) as const),
  { kind: 'resourceList', line: '["v1/Secret"]["shop/token"]: "created" -> (absent)' },
  { kind: 'resourceList', line: '["v1/Secret"]["shop/token"]: "created" -> "failed"' },
  { kind: 'resourceList', line: '["rbac.authorization.k8s.io/v1/ClusterRole"]["system:node"]: "failed" -> "skipped"' },
  { kind: 'resourceList', line: '["networking.k8s.io/v1/Ingress"]: {"shop/web":"created"} -> (absent)' },
  { kind: 'status', line: '.phase: "Completed" -> "PartiallyFailed"' },
  { kind: 'status', line: '.phase: "PartiallyFailed" -> "Failed"' },
  { kind: 'status', line: '.progress.totalItems: "#304" -> "#294"' },
  { kind: 'status', line: '.errors: "#1" -> "#0"' },
  { kind: 'status', line: '.warnings: "#0" -> "#3"' },
  { kind: 'status', line: '.validationErrors["Invalid ExistingResourcePolicy: Update"]: "#1" -> (absent)' },
];

describe('a fault is not hidden by the list', () => {
  it.each(faults)('$kind: $line', (fault) => {
    for (const name of caseNames) {
      expect(sortDifferences(name, [fault], listed).unlisted).toEqual([fault]);
    }
  });
});
