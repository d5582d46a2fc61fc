import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ClosablePodAccess, createPodAccess } from '../../adapters/kubernetes/pods.ts';
import { hookFileKey, hookSummaryKey } from '../../domain/hooks/hookKeys.ts';
import type { HookSummary } from '../../domain/hooks/hookSummary.ts';
import { getArray, getString, type JsonObject } from '../../domain/json.ts';
import { findNodePrograms } from '../../tools/servers/node/nodePrograms.ts';
import { type RealNode, realNodeApiServerFlags, startRealNode } from '../../tools/servers/node/realNode.ts';
import { makeBackup } from '../integration/support/backupBucket.ts';
import { type Environment, startEnvironment } from '../integration/support/environment.ts';
import { type EndedRestore, endOf, restore, startRestore } from '../integration/support/restore.ts';
import { until } from '../workflow/support/gate.ts';
import { container, execAnnotations, execHook, hooksFor, pod, stuckContainer } from './hookPods.ts';

jest.setTimeout(240_000);

/** Where there can be no kubelet, these count as skipped, with the reason in their title. */
const programs = await findNodePrograms();
const reason = typeof programs === 'string' ? programs : undefined;
const describeOnNode = reason === undefined ? describe : describe.skip;

let environment: Environment;
let node: RealNode;
let pods: ClosablePodAccess;
let directory: string;

beforeAll(async () => {
  if (typeof programs === 'string') return;
  directory = await mkdtemp(join(tmpdir(), 'real-node-'));
  environment = await startEnvironment({}, { apiServerFlags: realNodeApiServerFlags });
  node = await startRealNode(directory, environment.controlPlane, programs);
  pods = await createPodAccess({ kubeconfig: environment.controlPlane.kubeconfigPath });
}, 600_000);

afterAll(async () => {
  if (reason !== undefined) return;
  await pods.close();
  await node.stop();
  await environment.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Two seconds, on a machine that does nothing else; the tests of this project share theirs. */
const FIGURES_MS = 10_000;

/** What a file of a container holds. */
async function read(namespace: string, name: string, file: string, inContainer = 'main'): Promise<string> {
  const request = { namespace, pod: name, container: inContainer, timeoutMs: 20_000, maxOutputBytes: 10_000 };
  const { stdout } = await pods.exec({ ...request, command: ['/bin/cat', file] });
  return Buffer.from(stdout).toString();
}

/** A file of the first hook of a pod, as the work store has it. */
async function hookFile(
  { name, uid, outcomes }: EndedRestore,
  path: string,
  file: 'started' | 'outcome.json',
): Promise<{ readonly at: string } | undefined> {
  const index = outcomes.find(({ hookPod }) => hookPod?.pod === path)?.index;
  if (index === undefined) return undefined;
  const key = hookFileKey({ name, uid }, index, 0, file);
  return JSON.parse(await readFile(join(environment.bucket, key), 'utf8')) as { at: string };
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Lines of the log about hooks of a pod: level, message and, where the line has them, exit code. */
function hookLines({ log }: EndedRestore, path: string): string[] {
  return log
    .split('\n')
    .filter((line) => line.includes('hookName=') && line.includes(`pod=${path} `))
    .map((line) => {
      const [, level = '', message = ''] =
        /level=(\w+) msg="?((?:[^"\\]|\\.)*?)"? (?:duration|exitCode|hookContainer)=/.exec(line) ?? [];
      const [, exitCode] = /exitCode=(\d+)/.exec(line) ?? [];
      return `${level}: ${message}${exitCode === undefined ? '' : ` [${exitCode}]`}`;
    });
}

describeOnNode(`hooks in real pods${reason === undefined ? '' : `: ${reason}`}`, () => {
  it('H-012 H-061 H-065 H-070 H-112 HX-06 run in containers, sidecars and init containers, and leave what they wrote in the log', async () => {
    const namespace = 'good';
    await makeBackup(environment.bucket, 'good', [
      pod(namespace, 'db', [container('main'), container('second')], {
        labels: { app: 'db' },
        initContainers: [container('proxy', 'while true; do sleep 1; done', { restartPolicy: 'Always' })],
        annotations: {
          'init.hook.restore.velero.io/container-image': 'localhost/busybox:1',
          'init.hook.restore.velero.io/container-name': 'prepare',
          'init.hook.restore.velero.io/command': '["/bin/sh","-c","true"]',
        },
      }),
      pod(namespace, 'web', [container('main')], {
        annotations: execAnnotations({ command: '["/bin/sh","-c","echo from annotation"]', 'on-error': 'Fail' }),
      }),
    ]);
    const ended = await restore(environment, {
      backupName: 'good',
      hooks: hooksFor({
        db: [
          execHook('echo first >> /data/runs; echo out; echo err >&2'),
          execHook('echo second >> /data/runs; cat /data/runs', { container: 'second', waitForReady: true }),
          execHook('echo third >> /data/runs; sleep 1; echo done', { onError: 'Fail', waitTimeout: '2m' }),
          execHook('echo in sidecar', { container: 'proxy' }),
        ],
      }),
    });
    expect(ended.status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: 5 } });
    expect(ended.status.hookStatus?.hooksFailed).toBeUndefined();
    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    const lines = hookLines(ended, 'good/db');
    expect(lines).toContain('info: hook db-hook in container main succeeded [0]');
    expect(lines).toContain('info: stdout: out');
    expect(lines).toContain('info: stderr: err');
    expect(lines).toContain('info: stdout: done');
    expect(lines).toContain('info: stdout: in sidecar');
    expect(hookLines(ended, 'good/web')).toEqual([
      'info: hook <from-annotation> in container main succeeded [0]',
      'info: stdout: from annotation',
    ]);
    const runs = (await read(namespace, 'db', '/data/runs')).trim().split('\n');
    expect([...runs].sort()).toEqual(['first', 'second', 'third']);
    expect(runs.indexOf('first')).toBeLessThan(runs.indexOf('third'));
    const summary = JSON.parse(await readFile(join(environment.bucket, hookSummaryKey(ended)), 'utf8')) as HookSummary;
    expect(summary.map(({ pod: path, container: where, status }) => `${path} ${where} ${status}`).sort()).toEqual([
      'good/db main succeeded',
      'good/db main succeeded',
      'good/db proxy succeeded',
      'good/db second succeeded',
      'good/web main succeeded',
    ]);
    const web = await environment.cluster.live(pod(namespace, 'web'));
    const [status] = getArray(web, ['status', 'containerStatuses']) ?? [];
    const runningAt = Date.parse(getString(status, ['state', 'running', 'startedAt']) ?? '');
    const startedAt = Date.parse((await hookFile(ended, 'good/web', 'started'))?.at ?? '');
    tell(`the hook started ${String(startedAt - runningAt)} ms after its container (which is told in whole seconds)`);
    expect(startedAt - runningAt).toBeLessThanOrEqual(FIGURES_MS);
    const live = await environment.cluster.live(pod(namespace, 'db'));
    const containers = (live['spec'] as JsonObject)['initContainers'] as JsonObject[];
    expect(containers.map(({ name }) => name)).toEqual(['prepare', 'proxy']);
  });

  it('H-062 H-063 H-109 H-114 H-130 H-131 HX-01 HX-02 tell how commands fail, as warnings where they are to go on', async () => {
    const namespace = 'bad';
    const commands: Record<string, JsonObject> = {
      code: execHook('echo so far; exit 7'),
      hangs: execHook('sleep 300', { execTimeout: '2s' }),
      missing: execHook('true', { container: 'nowhere' }),
      program: { exec: { command: ['/bin/nothing'] } },
      stuck: execHook('true', { waitTimeout: '3s' }),
      kills: execHook('touch /data/die; sleep 300', { execTimeout: '30s' }),
      large: execHook('yes 0123456789 | head -c 3000000; exit 3'),
    };
    const dies = container('main', 'while [ ! -f /data/die ]; do sleep 0.2; done');
    await makeBackup(
      environment.bucket,
      'bad',
      Object.keys(commands).map((app) => {
        const main = app === 'stuck' ? stuckContainer('main') : app === 'kills' ? dies : container('main');
        return pod(namespace, app, [main], { labels: { app }, spec: { restartPolicy: 'Never' } });
      }),
    );
    const hooks = hooksFor(Object.fromEntries(Object.entries(commands).map(([app, hook]) => [app, [hook]])));
    const ended = await restore(environment, { backupName: 'bad', hooks });
    expect(ended.status).toMatchObject({
      phase: 'Completed',
      hookStatus: { hooksAttempted: 7, hooksFailed: 7 },
      warnings: 7,
    });
    expect(ended.results.errors).toEqual({});
    const failed = (app: string, cause: string): unknown =>
      expect.stringMatching(new RegExp(`^hook ${app}-hook in container main failed to execute, err: ${cause}`));
    expect([...(ended.results.warnings.namespaces?.[namespace] ?? [])].sort()).toEqual([
      failed('code', 'command terminated with exit code 7$'),
      failed('hangs', 'timed out after 2s; the process may still run$'),
      failed('kills', '(command terminated with exit code 137|outcome unknown: .*)'),
      failed('large', 'command terminated with exit code 3$'),
      'hook missing-hook in container nowhere in pod bad/missing not executed: the pod has no container nowhere',
      failed('program', '.*(no such file or directory|exit code 12[67]).*'),
      'hook stuck-hook in container main in pod bad/stuck not executed: context deadline exceeded',
    ]);
    expect(hookLines(ended, 'bad/code')).toEqual([
      'warning: hook code-hook in container main failed to execute, err: command terminated with exit code 7 [7]',
      'info: stdout: so far',
    ]);
    const large = hookLines(ended, 'bad/large');
    expect(large.at(-1)).toBe(`info: stdout: ${3_000_000 - 65_536} more bytes were not kept`);
    expect(large.length).toBeGreaterThan(5_000);
  });

  const roles = Array.from({ length: 200 }, (_, index) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: `role-${String(index)}`, namespace: 'default' },
    rules: [],
  }));

  /** Pods a (fails), b (runs long), c (waits) and d (created when a has failed), and 200 items behind them. */
  async function scope(
    name: string,
    onError: 'Fail' | 'Continue',
  ): Promise<{ ended: EndedRestore; failedAt: number; endedAt: number }> {
    const apps = ['a', 'b', 'c', 'd'];
    await makeBackup(environment.bucket, name, [
      ...apps.map((app) =>
        pod(name, app, [app === 'c' ? stuckContainer('main') : container('main')], { labels: { app } }),
      ),
      ...roles.map((role) => ({ ...role, metadata: { ...role.metadata, namespace: name } })),
    ]);
    // The fourth pod to be created waits until a has failed.
    let created = 0;
    environment.proxy.rule = ({ method, path }) => {
      if (method !== 'POST' || path !== `/api/v1/namespaces/${name}/pods`) return undefined;
      created += 1;
      return created === 4 ? { delayMs: 15_000 } : undefined;
    };
    const handle = await startRestore(
      environment,
      {
        backupName: name,
        hooks: hooksFor({
          a: [execHook('sleep 3; echo a failed; exit 1', { onError })],
          b: [
            execHook(onError === 'Fail' ? 'echo started; sleep 120; echo ended' : 'echo started; sleep 5; echo ended', {
              execTimeout: '3m',
            }),
          ],
          c: [execHook('true', { waitTimeout: '20s' })],
          d: [execHook('echo d ran')],
        }),
      },
      { options: { itemsPerActivity: 1, window: 1 } },
    );
    const ended = await endOf(environment, handle);
    environment.proxy.rule = undefined;
    const timeOf = async (app: string): Promise<number> =>
      Date.parse((await hookFile(ended, `${name}/${app}`, 'outcome.json'))?.at ?? '');
    return { ended, failedAt: await timeOf('a'), endedAt: await timeOf('b') };
  }

  it('HX-04 H-068 the first error of a Fail hook ends every other hook, and no item', async () => {
    const { ended, failedAt, endedAt } = await scope('scope-fail', 'Fail');
    expect(ended.status).toMatchObject({
      phase: 'PartiallyFailed',
      hookStatus: { hooksAttempted: 4, hooksFailed: 4 },
      errors: 1,
    });
    expect(ended.counters).toMatchObject({ failed: 0 });
    expect(ended.resourceList['rbac.authorization.k8s.io/v1/Role']).toHaveLength(200);
    expect(ended.results.errors.namespaces).toEqual({
      'scope-fail': ['hook a-hook in container main failed to execute, err: command terminated with exit code 1'],
    });
    const because =
      'not executed: another hook failed that has onError Fail: hook a-hook in container main failed to execute, err: command terminated with exit code 1';
    expect([...(ended.results.warnings.namespaces?.['scope-fail'] ?? [])].sort()).toEqual([
      'hook b-hook in container main failed to execute, err: cancelled; the process may still run',
      `hook c-hook in container main in pod scope-fail/c ${because}`,
      `hook d-hook in container main in pod scope-fail/d ${because}`,
    ]);
    tell(`the running hook ended ${String(endedAt - failedAt)} ms after the one that failed`);
    expect(endedAt - failedAt).toBeLessThanOrEqual(FIGURES_MS);
    expect(hookLines(ended, 'scope-fail/b')).toContain('info: stdout: started');
  });

  it('HX-03 an error of a Continue hook ends none', async () => {
    const { ended } = await scope('scope-continue', 'Continue');
    expect(ended.status).toMatchObject({
      phase: 'Completed',
      hookStatus: { hooksAttempted: 4, hooksFailed: 2 },
      warnings: 2,
    });
    expect(hookLines(ended, 'scope-continue/b')).toContain('info: stdout: ended');
    expect(hookLines(ended, 'scope-continue/d')).toContain('info: stdout: d ran');
  });

  it('a connection that breaks leaves the outcome unknown', async () => {
    await makeBackup(environment.bucket, 'cut', [pod('cut', 'db', [container('main')], { labels: { app: 'db' } })]);
    const hooks = hooksFor({ db: [execHook('echo run >> /data/runs; sleep 20'), execHook('echo next >> /data/runs')] });
    const handle = await startRestore(environment, { backupName: 'cut', hooks });
    await until('the command', async () => (await read('cut', 'db', '/data/runs')) === 'run\n');
    environment.proxy.cutUpgraded();
    const ended = await endOf(environment, handle);
    expect(ended.status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: 2, hooksFailed: 1 } });
    expect(ended.results.warnings.namespaces?.['cut']).toEqual([
      expect.stringMatching(
        /^hook db-hook in container main failed to execute, err: outcome unknown: .*; the process may still run$/,
      ),
    ]);
    expect(await read('cut', 'db', '/data/runs')).toBe('run\nnext\n');
  });

  it('HX-07 a pod that is deleted, or replaced by another of its name, gets no hooks', async () => {
    await makeBackup(environment.bucket, 'gone', [
      pod('gone', 'deleted', [stuckContainer('main')], { labels: { app: 'db' } }),
      pod('gone', 'replaced', [stuckContainer('main')], { labels: { app: 'db' } }),
    ]);
    const hooks = hooksFor({ db: [execHook('echo run >> /data/runs')] });
    const handle = await startRestore(environment, { backupName: 'gone', hooks });
    const [deleted, replaced] = [pod('gone', 'deleted'), pod('gone', 'replaced')];
    await until(
      'the pods',
      async () =>
        (await environment.cluster.find(deleted)) !== undefined &&
        (await environment.cluster.find(replaced)) !== undefined,
    );
    await environment.cluster.remove(deleted);
    await environment.cluster.remove(replaced);
    await environment.cluster.create(replaced);
    const ended = await endOf(environment, handle);
    expect(ended.status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: 2, hooksFailed: 2 } });
    expect([...(ended.results.warnings.namespaces?.['gone'] ?? [])].sort()).toEqual([
      'hook db-hook in container main in pod gone/deleted not executed: the pod was deleted',
      expect.stringMatching(
        /pod gone\/replaced not executed: the pod was (replaced by another one of its name|deleted)$/,
      ),
    ]);
  });

  it('a cancelled restore ends running hooks and still writes its files', async () => {
    await makeBackup(environment.bucket, 'cancelled', [
      pod('cancelled', 'runs', [container('main')], { labels: { app: 'runs' } }),
      pod('cancelled', 'waits', [stuckContainer('main')], { labels: { app: 'waits' } }),
    ]);
    const hooks = hooksFor({
      runs: [execHook('echo run >> /data/runs; sleep 200', { execTimeout: '5m' })],
      waits: [execHook('true')],
    });
    const handle = await startRestore(environment, { backupName: 'cancelled', hooks });
    await until('the command', async () => (await read('cancelled', 'runs', '/data/runs')) === 'run\n');
    await handle.cancel();
    const ended = await endOf(environment, handle);
    expect(ended.status).toMatchObject({
      phase: 'Failed',
      failureReason: 'cancelled',
      hookStatus: { hooksAttempted: 2, hooksFailed: 2 },
    });
    expect([...(ended.results.warnings.namespaces?.['cancelled'] ?? [])].sort()).toEqual([
      'hook runs-hook in container main failed to execute, err: cancelled; the process may still run',
      'hook waits-hook in container main in pod cancelled/waits not executed: the restore was cancelled',
    ]);
  });
});
