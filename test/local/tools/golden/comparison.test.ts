import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type JsonObject, setIn, withoutKeys } from '../../../../domain/json.ts';
import { parseJson, renderJson } from '../../../../domain/jsonText.ts';
import type { RestoreStatus } from '../../../../domain/restore/restore.ts';
import { mayBeChance } from '../../../../tools/golden/chance.ts';
import {
  compareObjects,
  compareResourceLists,
  compareResults,
  compareStatus,
  type FoundDifference,
  itemised,
} from '../../../../tools/golden/comparison.ts';
import { committedData } from '../../../../tools/golden/goldenData.ts';
import { readJson, readObjects, writeJson } from '../../../../tools/golden/objectFile.ts';
import { temporaryFolder } from '../../../unit/tools/temporaryFolder.ts';

const golden = join(committedData.cases, 'labels');
const output = join(golden, 'velero-output');
const { sourcePorts } = committedData;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(await temporaryFolder(), 'comparison-'));
});

function lines(found: readonly FoundDifference[]): string[] {
  return found.map(({ line }) => line);
}

async function changedDump(change: (objects: JsonObject[]) => JsonObject[]): Promise<string[]> {
  const [expected, actual] = [join(golden, 'after.json.gz'), join(folder, 'after.json.gz')];
  await writeJson(actual, change(await readObjects(expected)));
  return lines(await compareObjects(expected, actual, { sourcePorts }));
}

function isWeb({ kind, metadata }: JsonObject): boolean {
  return kind === 'Service' && (metadata as JsonObject)['name'] === 'web';
}

describe('mayBeChance', () => {
  it('is a Service that was assigned the very address it had in the backup', async () => {
    const readdress = (one: JsonObject): JsonObject =>
      isWeb(one) ? setIn(setIn(one, ['spec', 'clusterIP'], '10.0.85.32'), ['spec', 'clusterIPs'], ['10.0.85.32']) : one;
    const found = await changedDump((objects) => objects.map(readdress));
    expect(found).toHaveLength(2);
    expect(found.map((line) => mayBeChance({ kind: 'object', line }))).toEqual([true, true]);
  });

  it.each([
    [true, 'v1 Service shop/web-nodeport-created  .spec.ports[1].nodePort: "<assigned>" -> "#30686"'],
    [true, 'v1 Service shop/web-lb  .spec.healthCheckNodePort: "<assigned>" -> "#32637"'],
    [true, 'v1 Service shop/web  .spec.clusterIP: "<assigned>" -> "fd00::1a"'],
    [true, 'before the restore: v1 Service shop/web  .spec.clusterIPs[0]: "<assigned>" -> "10.0.85.32"'],
    [false, 'v1 Service shop/web-nodeport-fixed  .spec.ports[0].nodePort: "#30080" -> "<assigned>"'],
    [false, 'v1 Service shop/web-nodeport-created  .spec.ports[1].port: "<assigned>" -> "#30686"'],
    [false, 'v1 Service shop/web  .spec.clusterIP: "<assigned>" -> "None"'],
    [false, 'v1 Service shop/web  .spec.ports[1].nodePort: "<assigned>" -> absent'],
    [false, 'v1 Secret shop/web  .spec.clusterIP: "<assigned>" -> "10.0.85.32"'],
  ])('%s: %s', (expected, line) => {
    expect(mayBeChance({ kind: 'object', line })).toBe(expected);
    expect(mayBeChance({ kind: 'status', line })).toBe(false);
  });
});

describe('compareObjects', () => {
  it('finds nothing in a dump of the same objects, digits beyond 2^53 included', async () => {
    expect(await changedDump((objects) => objects)).toEqual([]);
  });

  it('finds an object that is missing, one too many, and a field', async () => {
    expect(await changedDump((objects) => objects.filter((one) => !isWeb(one)))).toEqual([
      'v1 Service shop/web  only in the first file',
    ]);
    const another = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'extra', namespace: 'shop' } };
    expect(await changedDump((objects) => [...objects, another])).toEqual([
      'v1 Secret shop/extra  only in the second file',
    ]);
    const relabel = (one: JsonObject): JsonObject => setIn(one, ['metadata', 'labels', 'tier'], 'backend');
    expect(await changedDump((objects) => objects.map((one) => (isWeb(one) ? relabel(one) : one)))).toEqual([
      'v1 Service shop/web  .metadata.labels.tier: "frontend" -> "backend"',
    ]);
  });

  it('takes our plain field manager for that of Velero, and not the one of a create', async () => {
    let renamed = 0;
    const rename = (to: string) => (object: JsonObject) => {
      const text = renderJson(object).replaceAll('"manager":"velero-server"', `"manager":"${to}"`);
      if (text.includes(to)) renamed++;
      return parseJson(text) as JsonObject;
    };
    expect(await changedDump((objects) => objects.map(rename('durable-restore')))).toEqual([]);
    expect(renamed).toBeGreaterThan(0);
    const left = await changedDump((objects) => objects.map(rename('durable-restore:1234:5')));
    expect(left.join('\n')).toContain('durable-restore:1234:5');
  });

  it('says why it cannot compare', async () => {
    const missing = compareObjects(join(golden, 'after.json.gz'), join(folder, 'none.json'), { sourcePorts });
    await expect(missing).rejects.toThrow(/comparison program failed: .*none\.json/s);
  });
});

describe('compareResults', () => {
  it('finds a message that is missing and one too many', async () => {
    const expected = join(output, 'restore-labels-results.gz');
    const results = (await readJson(expected)) as JsonObject;
    const actual = join(folder, 'results.gz');
    const errors = withoutKeys(results['errors'] as JsonObject, ['cluster']);
    await writeJson(actual, { ...results, errors, warnings: { velero: ['beware'] } });
    expect(lines(await compareResults(expected, actual)).sort()).toEqual([
      'only in the first file (1): errors cluster: error restoring fleets.example.com/north: the server could not find the requested resource',
      'only in the second file (1): warnings velero: beware',
    ]);
  });
});

describe('itemised', () => {
  it('makes a path of each item, and keeps what is listed twice', () => {
    const content = {
      'v1/Secret': ['shop/b(created)', 'shop/a(failed)', 'shop/a(created)'],
      'v1/Node': ['n(1)(skipped)'],
    };
    expect(itemised(content)).toEqual({
      'v1/Secret': { 'shop/b': 'created', 'shop/a': 'created, failed' },
      'v1/Node': { 'n(1)': 'skipped' },
    });
  });

  it('lets the default ServiceAccount be made by anyone, and only that', () => {
    const list = ['shop/default(created)', 'data/default(skipped)', 'infra/default(failed)', 'shop/web(created)'];
    expect(itemised({ 'v1/ServiceAccount': list })['v1/ServiceAccount']).toEqual({
      'shop/default': 'created or skipped',
      'data/default': 'created or skipped',
      'infra/default': 'failed',
      'shop/web': 'created',
    });
    expect(itemised({ 'v1/Secret': ['shop/default(created)'] })['v1/Secret']).toEqual({ 'shop/default': 'created' });
  });
});

describe('compareResourceLists', () => {
  it('tells a missing item from its neighbours', async () => {
    const expected = join(output, 'restore-labels-resource-list.json.gz');
    const list = (await readJson(expected)) as Record<string, string[]>;
    const [first = ''] = list['v1/Service'] ?? [];
    const actual = join(folder, 'list.json.gz');
    await writeJson(actual, { ...list, 'v1/Service': (list['v1/Service'] ?? []).slice(1) });
    const [, name = '', action = ''] = /^(.+)\((.+)\)$/.exec(first) ?? [];
    expect(lines(await compareResourceLists(expected, actual, folder))).toEqual([
      `["v1/Service"]["${name}"]: "${action}" -> (absent)`,
    ]);
  });
});

describe('compareStatus', () => {
  const velero = {
    phase: 'PartiallyFailed',
    errors: 4,
    hookStatus: {},
    progress: { totalItems: 14, itemsRestored: 14 },
  };
  const ours: RestoreStatus = { phase: 'PartiallyFailed', errors: 4, progress: { totalItems: 14, itemsRestored: 14 } };

  async function differences(actual: RestoreStatus, expected: JsonObject = velero): Promise<string[]> {
    const directory = join(folder, 'status');
    await mkdir(directory, { recursive: true });
    const results = join(output, 'restore-labels-results.gz');
    return lines(await compareStatus(expected, actual, { results, directory }));
  }

  it('finds nothing in the same status', async () => {
    expect(await differences(ours)).toEqual([]);
  });

  it.each<[string, Partial<RestoreStatus>, string]>([
    ['the phase', { phase: 'Completed' }, '.phase: "PartiallyFailed" -> "Completed"'],
    ['the progress', { progress: { totalItems: 14, itemsRestored: 13 } }, '.progress.itemsRestored: "#14" -> "#13"'],
    ['a failure', { failureReason: 'broken' }, '.failureReason: (absent) -> "broken"'],
    ['a count of errors that our results do not have', { errors: 3 }, '.errors: "#4" -> "#3"'],
    ['a count of warnings that our results do not have', { warnings: 1 }, '.warnings: "#0" -> "#1"'],
    ['hooks', { hookStatus: { hooksAttempted: 2 } }, '.hookStatus.hooksAttempted: "#0" -> "#2"'],
    ['a reason', { validationErrors: ['no'] }, '.validationErrors.no: (absent) -> "#1"'],
  ])('finds %s', async (_what, change, line) => {
    expect(await differences({ ...ours, ...change })).toEqual([line]);
  });

  it('compares validation errors as a set, each as often as it is there', async () => {
    const expected = { phase: 'FailedValidation', validationErrors: ['a', 'b', 'b'] };
    const directory = join(folder, 'status');
    const actual: RestoreStatus = { phase: 'FailedValidation', validationErrors: ['b', 'a', 'c'] };
    const found = await compareStatus(expected, actual, { results: undefined, directory });
    expect(lines(found)).toEqual(['.validationErrors.b: "#2" -> "#1"', '.validationErrors.c: (absent) -> "#1"']);
  });
});

it('reads compressed and plain files', async () => {
  await writeFile(join(folder, 'plain.json'), '{"big": 9007199254740993}');
  await writeFile(join(folder, 'packed.json.gz'), gzipSync('{"big": 9007199254740993}'));
  for (const file of ['plain.json', 'packed.json.gz']) {
    expect(await readJson(join(folder, file))).toEqual({ big: 9007199254740993n });
  }
});
