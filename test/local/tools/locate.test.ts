import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cachedPath } from '../../../tools/servers/cache.ts';
import { controllersAtHand } from '../../../tools/servers/controllersAtHand.ts';
import { isTemporalNewEnough, locateProgram } from '../../../tools/servers/locate.ts';
import { type Program, programs } from '../../../tools/servers/programs.ts';
import { temporaryFolder, writeScript } from '../../unit/tools/temporaryFolder.ts';

function programOf(name: string): Program {
  return programs.find((program) => program.name === name)!;
}

async function emptyCache(): Promise<{ DURABLE_RESTORE_CACHE: string }> {
  return { DURABLE_RESTORE_CACHE: await temporaryFolder() };
}

describe('locateProgram', () => {
  it('finds nothing where nothing is', async () => {
    const environment = { ...(await emptyCache()), PATH: await temporaryFolder() };
    for (const program of programs) expect(await locateProgram(program, environment)).toBeUndefined();
  });

  it('prefers what the environment names, then the cache, then PATH', async () => {
    const folder = await temporaryFolder();
    const body = 'echo "temporal version 1.9.0 (Server 1.31.0, UI 2.50.0)"';
    const onPath = await writeScript(folder, 'temporal', body);
    const mine = await writeScript(folder, 'my-temporal', body);
    const environment = { ...(await emptyCache()), PATH: folder };
    const temporal = programOf('temporal');
    expect(await locateProgram(temporal, environment)).toEqual({ name: 'temporal', path: onPath, origin: 'PATH' });

    const cached = await cachedPath(temporal, environment);
    await mkdir(join(cached, '..'), { recursive: true });
    await writeScript(join(cached, '..'), 'temporal', body);
    expect(await locateProgram(temporal, environment)).toEqual({ name: 'temporal', path: cached, origin: 'cache' });

    const explicit = { ...environment, TEMPORAL_CLI_PATH: mine };
    expect(await locateProgram(temporal, explicit)).toEqual({
      name: 'temporal',
      path: mine,
      origin: 'TEMPORAL_CLI_PATH',
    });
  });

  it('refuses a TEMPORAL_CLI_PATH that cannot be run', async () => {
    const environment = { ...(await emptyCache()), TEMPORAL_CLI_PATH: '/nowhere/temporal' };
    await expect(locateProgram(programOf('temporal'), environment)).rejects.toMatchObject({
      type: 'ServerMissing',
      message: 'TEMPORAL_CLI_PATH is /nowhere/temporal, expected an executable file',
    });
  });

  it.each([
    ['rclone', 'echo "Usage:"; echo "  rclone serve s3 remote:path [flags]"', true],
    ['rclone', 'echo "Usage:"; echo "  rclone serve <protocol> [opts] <remote> [flags]"', false],
    ['rclone', 'exit 2', false],
    ['temporal', 'echo "temporal version 1.4.1 (Server 1.27.0, UI 2.30.0)"', false],
    ['temporal', 'echo "something else"', false],
    ['etcd', 'true', false],
  ])('takes %s from PATH only when it is fit: %s', async (name, body, taken) => {
    const folder = await temporaryFolder();
    const path = await writeScript(folder, name, body);
    const found = await locateProgram(programOf(name), { ...(await emptyCache()), PATH: `/nowhere::${folder}` });
    expect(found?.path).toBe(taken ? path : undefined);
  });

  it('takes from KUBEBUILDER_ASSETS what envtest has, and looks elsewhere for what it need not have', async () => {
    const folder = await temporaryFolder();
    for (const name of ['etcd', 'kube-apiserver', 'kubelet']) await writeScript(folder, name, 'true');
    const environment = { ...(await emptyCache()), KUBEBUILDER_ASSETS: folder };
    const found = await Promise.all(programs.map((program) => locateProgram(program, environment)));
    expect(found.flatMap((one) => (one ? [`${one.name} ${one.origin}`] : []))).toEqual([
      'etcd KUBEBUILDER_ASSETS',
      'kube-apiserver KUBEBUILDER_ASSETS',
    ]);
    expect(await controllersAtHand(environment)).toBe('none');
    await writeScript(folder, 'kube-controller-manager', 'true');
    expect(await controllersAtHand(environment)).toBe('minimal');
    expect(await controllersAtHand(await emptyCache())).toBe('minimal');
  });

  it('refuses a KUBEBUILDER_ASSETS without an API server', async () => {
    const folder = await temporaryFolder();
    const environment = { ...(await emptyCache()), KUBEBUILDER_ASSETS: folder };
    await expect(locateProgram(programOf('kube-apiserver'), environment)).rejects.toMatchObject({
      type: 'ServerMissing',
      message: `KUBEBUILDER_ASSETS is ${folder}, expected a folder with an executable kube-apiserver in it`,
    });
  });
});

describe('isTemporalNewEnough', () => {
  it.each([
    ['temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)', true],
    ['temporal version 1.5.0 (Server 1.28.0, UI 2.39.0)', true],
    ['temporal version 2.0.0 (Server 2.0.0, UI 3.0.0)', true],
    ['temporal version 1.4.9 (Server 1.27.0, UI 2.30.0)', false],
    ['temporal version 0.13.0 (Server 1.24.0, UI 2.20.0)', false],
    ['', false],
  ])('%s: %s', (output, expected) => {
    expect(isTemporalNewEnough(output)).toBe(expected);
  });
});
