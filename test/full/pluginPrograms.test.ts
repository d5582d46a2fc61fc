import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PluginRegistry } from '../../adapters/plugins/pluginRegistry.ts';
import { openRestoreItemAction } from '../../adapters/plugins/restoreItemAction.ts';
import type { ActionCluster, RestoreItemAction, RestoreItemActionOutput } from '../../domain/actions/action.ts';
import { getIn, getString, type JsonObject } from '../../domain/json.ts';
import { ensurePrograms } from '../../tools/servers/ensure.ts';
import { until } from '../workflow/support/gate.ts';
import { handlesOf, isAlive, residentBytes } from './support/processes.ts';

jest.setTimeout(300_000);

interface Logged {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const restore = { name: 'restore-1', namespace: 'velero', uid: 'uid-1', spec: { backupName: 'backup-1' } };
const cluster: ActionCluster = { get: () => Promise.resolve(undefined), list: () => Promise.resolve([]) };
const logged: Logged[] = [];
let programs: Readonly<Record<'test-plugin' | 'velero' | 'velero-plugin-for-aws', string>>;
let directory: string;
let registry: PluginRegistry;
let v1: RestoreItemAction;
let v2: RestoreItemAction;

beforeAll(async () => {
  programs = await ensurePrograms(['test-plugin', 'velero', 'velero-plugin-for-aws']);
  directory = await mkdtemp(join(tmpdir(), 'plugin-programs-'));
  process.env['TEST_PLUGIN_DIRECTORY'] = directory;
  registry = await PluginRegistry.open({
    commands: [{ path: programs['test-plugin'] }, { path: programs['velero-plugin-for-aws'] }],
    log: (level, message, fields) => logged.push({ level, message, fields }),
    logLevel: 'trace',
  });
  const actions = await registry.restoreItemActions();
  v1 = actions.find(({ name }) => name === 'test.example.com/v1')!;
  v2 = actions.find(({ name }) => name === 'test.example.com/v2')!;
}, 1_800_000);

afterAll(async () => {
  await registry.close();
  await rm(directory, { recursive: true, force: true });
});

let items = 0;

/** A ConfigMap that tells the test plugin what to do. */
function itemFor(told: Readonly<Record<string, string>>): JsonObject {
  const annotations = Object.entries(told).map(([key, value]) => [`test.example.com/${key}`, value]);
  items += 1;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `item-${items}`, namespace: 'shop', annotations: Object.fromEntries(annotations) as JsonObject },
    data: { digits: 9_007_199_254_740_993n },
  };
}

async function execute(told: Readonly<Record<string, string>>, action = v2): Promise<RestoreItemActionOutput> {
  const item = itemFor(told);
  const backup = { name: 'backup-1' } as Parameters<RestoreItemAction['execute']>[0]['backup'];
  return action.execute({ item, itemFromBackup: item, restore, backup, cluster });
}

function additional(name: string): Parameters<NonNullable<RestoreItemAction['areAdditionalItemsReady']>>[0] {
  return [{ group: '', resource: 'secrets', namespace: 'shop', name }];
}

async function ready(...names: string[]): Promise<boolean> {
  return (await v2.areAdditionalItemsReady?.(names.flatMap(additional), { restore, cluster })) === true;
}

/** The plugin's process, by the plugin's own log of its address. */
async function pidOfTestPlugin(): Promise<number> {
  for (const entry of await readdir('/proc')) {
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    const parent = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const isOurs = Number(parent.slice(parent.lastIndexOf(')') + 2).split(' ')[1]) === process.pid;
    if (isOurs && command.startsWith(programs['test-plugin'])) return Number(entry);
  }
  throw new Error('the test plugin does not run');
}

describe('a real plugin program', () => {
  it('tells what it offers, by kind and name (§5)', () => {
    expect(registry.offered.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'VolumeSnapshotter test.example.com/volumes',
      'ObjectStore test.example.com/files',
      'RestoreItemAction test.example.com/v1',
      'RestoreItemActionV2 test.example.com/v2',
      'VolumeSnapshotter velero.io/aws',
      'ObjectStore velero.io/aws',
    ]);
    expect(() => registry.find('ObjectStore', 'gcp')).toThrow(
      'unable to locate ObjectStore plugin named velero.io/gcp; this worker has: test.example.com/files, velero.io/aws',
    );
    expect(registry.find('ObjectStore', 'aws').name).toBe('velero.io/aws');
  });

  it('tells what its actions apply to; version 1 has none of the later methods (§10)', () => {
    expect(v1.appliesTo).toMatchObject({ includedResources: ['configmaps'], labelSelector: 'test-plugin=v1' });
    expect(v2.appliesTo).toMatchObject({ includedResources: ['cm'], labelSelector: 'test-plugin=v2' });
    expect(Object.keys(v1)).toEqual(['name', 'appliesTo', 'execute']);
  });

  it.each([1, 2])('changes an item and keeps every digit: version %d', async (version) => {
    const { item } = await execute({}, version === 1 ? v1 : v2);
    expect(getString(item, ['metadata', 'labels', `v${String(version)}`])).toBe('yes');
    expect(getIn(item, ['data', 'digits'])).toBe(9_007_199_254_740_993n);
  });

  it('asks for additional items, a wait and an operation', async () => {
    const output = await execute({
      additional: '|secrets|shop|key apps|deployments|shop|web',
      wait: '90s',
      operation: 'steps-3-one',
    });
    expect(output).toMatchObject({
      additionalItems: [
        { group: '', resource: 'secrets', namespace: 'shop', name: 'key' },
        { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
      ],
      skipRestore: false,
      waitForAdditionalItems: true,
      additionalItemsReadyTimeoutMs: 90_000,
      operationId: 'steps-3-one',
    });
    expect(await execute({ wait: '0s' })).not.toHaveProperty('additionalItemsReadyTimeoutMs');
    expect(await execute({ wait: '-5s' })).toMatchObject({ additionalItemsReadyTimeoutMs: -5_000 });
    expect(await execute({ skip: 'yes' })).toMatchObject({ skipRestore: true });
    expect(getString((await execute({ rename: 'other' })).item, ['metadata', 'name'])).toBe('other');
  });

  it.each([
    ['an error', { error: 'no good' }, 'rpc error: code = Unknown desc = no good'],
    ['a panic', { panic: 'boom' }, 'rpc error: code = Aborted desc = plugin panicked: boom'],
    [
      'an item without a kind',
      { 'no-kind': 'yes' },
      /item in the answer of action test.example.com\/v2 of plugin test-plugin: Object 'Kind' is missing/,
    ],
    ['a request above 4 MiB', { text: 'x'.repeat(2_500_000) }, /rpc error: code = ResourceExhausted desc = /],
  ])('may answer with %s: an error of the item (§8)', async (_title, told, message) => {
    await expect(execute(told)).rejects.toThrow(message);
  });

  it('may answer with far more than 4 MiB (§3)', async () => {
    const { item } = await execute({ size: '9000000' });
    expect(getString(item, ['data', 'large'])).toHaveLength(9_000_000);
  });

  it('says when additional items are ready', async () => {
    expect(await ready('anything')).toBe(true);
    expect([await ready('ready-after-2-a'), await ready('ready-after-2-a'), await ready('ready-after-2-a')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(await ready('never-a')).toBe(false);
    await expect(ready('error-a')).rejects.toThrow('cannot tell whether error-a is ready');
  });

  it('tells the progress of its operations and cancels them', async () => {
    const context = { restore, cluster };
    expect(await v2.progress?.('steps-2-x', context)).toMatchObject({
      completed: false,
      nCompleted: 1,
      nTotal: 2,
      operationUnits: 'steps',
    });
    expect(await v2.progress?.('steps-2-x', context)).toMatchObject({ completed: true, nCompleted: 2 });
    await v2.progress?.('fails-x', context);
    expect(await v2.progress?.('fails-x', context)).toMatchObject({
      completed: true,
      error: 'the operation went wrong',
    });
    await expect(v2.progress?.('unknown', context)).rejects.toThrow('operation ID unknown is invalid');
    await v2.cancel?.('steps-2-x', context);
    expect(await readFile(join(directory, 'cancelled'), 'utf8')).toBe('steps-2-x\n');
  });

  it('logs at its own levels; a flood is cut (§4)', async () => {
    logged.length = 0;
    await execute({ log: 'yes' });
    const told = (): Logged[] => logged.filter(({ message }) => /^(informed|warned|erred)/.test(message));
    await until('the plugin log came', () => told().length === 3);
    const lines = told();
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info informed',
      'warn warned',
      'error erred',
    ]);
    expect(lines[0]?.fields).toMatchObject({
      pluginName: 'test-plugin',
      logSource: expect.stringContaining('main.go:'),
    });
    await execute({ flood: 'yes' });
    expect(logged.filter(({ message }) => message.startsWith('flood')).length).toBeLessThan(2_000);
  });
});

describe('a plugin program that dies (§9)', () => {
  it('in the middle of a call is started again, and the call is made again', async () => {
    const before = await pidOfTestPlugin();
    const { item } = await execute({ 'crash-at-call': '1' });
    expect(getString(item, ['metadata', 'labels', 'v2'])).toBe('yes');
    expect(await pidOfTestPlugin()).not.toBe(before);
    expect(await ready('crash-a')).toBe(false);
    expect(await ready('crash-a')).toBe(true);
  });

  it('while it is idle is started again', async () => {
    const before = await pidOfTestPlugin();
    process.kill(before, 'SIGKILL');
    await execute({});
    expect(await pidOfTestPlugin()).not.toBe(before);
    expect(isAlive(before)).toBe(false);
  });

  it('in the middle of a call of another item hurts nobody else', async () => {
    const results = await Promise.allSettled([
      ...Array.from({ length: 10 }, () => execute({ sleep: '200ms' })),
      execute({ 'crash-at-call': '1', sleep: '100ms' }),
    ]);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it('whenever it is asked is an error that names it', async () => {
    await expect(execute({ 'crash-at-call': 'every' })).rejects.toThrow(
      'plugin test-plugin died (exit code 7) during Execute, 3 times in a row',
    );
    expect(await execute({})).toHaveProperty('item');
  });
});

describe('two programs that offer the same', () => {
  it('keep the worker from starting: the message names both', async () => {
    const path = programs['test-plugin'];
    const attempt = PluginRegistry.open({ commands: [{ path }, { path }], log: () => undefined });
    await expect(attempt).rejects.toThrow(
      `plugin ${path}: VolumeSnapshotter plugin test.example.com/volumes is already registered by ${path}`,
    );
  });
});

describe("Velero's own program as a plugin, 5,000 items", () => {
  it('costs little time, and neither memory nor handles', async () => {
    const velero = await PluginRegistry.open({
      commands: [{ path: programs.velero, args: ['run-plugins'] }],
      log: () => undefined,
    });
    try {
      const { host, name } = velero.find('RestoreItemAction', 'role-bindings');
      const action = await openRestoreItemAction(host, name, 1);
      const item: JsonObject = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'binding', namespace: 'shop' },
        roleRef: { kind: 'Role', name: 'role', apiGroup: 'rbac.authorization.k8s.io' },
        subjects: [{ kind: 'ServiceAccount', name: 'runner', namespace: 'shop' }],
      };
      const backup = { name: 'backup-1' } as Parameters<RestoreItemAction['execute']>[0]['backup'];
      const run = async (count: number): Promise<void> => {
        let left = count;
        const lane = async (): Promise<void> => {
          while (left-- > 0) await action.execute({ item, itemFromBackup: item, restore, backup, cluster });
        };
        await Promise.all(Array.from({ length: 16 }, lane));
      };
      await run(1_000);
      const handles = await handlesOf(process.pid);
      const memory = await residentBytes(process.pid);
      const started = Date.now();
      await run(5_000);
      const perItem = (Date.now() - started) / 5_000;
      process.stdout.write(`execute through velero run-plugins: ${perItem.toFixed(2)} ms an item with 16 in flight\n`);
      expect(await handlesOf(process.pid)).toBeLessThanOrEqual(handles + 2);
      expect((await residentBytes(process.pid)) - memory).toBeLessThan(100 * 1024 * 1024);
    } finally {
      await velero.close();
    }
  });
});
