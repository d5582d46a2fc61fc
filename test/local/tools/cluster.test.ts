import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { clusterDown, clusterHealth } from '../../../tools/cluster/cluster.ts';
import { commandLine, isThatProgram, stopProgram } from '../../../tools/cluster/runningProgram.ts';
import { readState, removeState, writeState } from '../../../tools/cluster/state.ts';
import { existingControlPlane } from '../../../tools/servers/existingControlPlane.ts';
import { isAlive } from '../../../tools/servers/lock.ts';
import { ServerProcess } from '../../../tools/servers/process.ts';
import { table } from '../../../tools/servers/table.ts';
import { temporaryFolder } from '../../unit/tools/temporaryFolder.ts';

async function sleeper(directory: string): Promise<ServerProcess> {
  return ServerProcess.start({
    name: 'sleeper',
    program: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)', directory],
    logFile: join(directory, 'sleeper.log'),
    ready: () => Promise.resolve(true),
  });
}

function stateWith(pid: number, program: string): Parameters<typeof writeState>[1] {
  return {
    controllers: 'minimal',
    url: 'https://127.0.0.1:20001',
    kubeconfig: '/somewhere/kubeconfig',
    ports: { etcd: 20002, etcdPeer: 20003, apiServer: 20001 },
    servers: [{ name: 'etcd', pid, program, healthUrl: 'http://127.0.0.1:9/health' }],
  };
}

describe('a process named by its id', () => {
  it('is stopped when it is that program on that directory', async () => {
    const directory = await temporaryFolder();
    const server = await sleeper(directory);
    expect(await commandLine(server.pid)).toBe(`${process.execPath} -e setInterval(() => {}, 1000) ${directory}`);
    expect(await stopProgram(server.pid, process.execPath, directory)).toBe(true);
    expect(await server.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await stopProgram(server.pid, process.execPath, directory)).toBe(false);
  });

  it('is left alone when it is another program, or works on another directory', async () => {
    const directory = await temporaryFolder();
    const server = await sleeper(directory);
    expect(await isThatProgram(server.pid, '/usr/bin/etcd', directory)).toBe(false);
    expect(await stopProgram(server.pid, process.execPath, '/another/directory')).toBe(false);
    expect(isAlive(server.pid)).toBe(true);
    await server.stop();
  });
});

describe('the state of a cluster', () => {
  it('is kept in its directory, and gone when removed', async () => {
    const directory = join(await temporaryFolder(), 'cluster');
    expect(await readState(directory)).toBeUndefined();
    const state = stateWith(1, '/usr/bin/etcd');
    await writeState(directory, state);
    expect(await readState(directory)).toEqual(state);
    await removeState(directory);
    expect(await readState(directory)).toBeUndefined();
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', '{"servers": [{"pid": "one"}]}'],
  ])('is refused when the file holds %s', async (_, text) => {
    const directory = await temporaryFolder();
    await writeFile(join(directory, 'state.json'), text);
    await expect(readState(directory)).rejects.toThrow(`${directory}/state.json is not a state file of this version`);
  });

  it('does not take a foreign process with a recorded id for a server of ours, nor stop it', async () => {
    const directory = await temporaryFolder();
    const stranger = await sleeper(await temporaryFolder());
    await writeState(directory, stateWith(stranger.pid, process.execPath));
    expect((await clusterHealth(directory)).map(({ health }) => health)).toEqual(['not running']);
    expect(await clusterDown(directory, false)).toEqual([]);
    expect(isAlive(stranger.pid)).toBe(true);
    await stranger.stop();
  });

  it('tells a server that runs and does not answer', async () => {
    const directory = await temporaryFolder();
    const server = await sleeper(directory);
    await writeState(directory, stateWith(server.pid, process.execPath));
    expect((await clusterHealth(directory)).map(({ health }) => health)).toEqual(['not answering']);
    expect(await clusterDown(directory, false)).toEqual(['etcd']);
    expect(await server.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });
});

describe('existingControlPlane', () => {
  async function kubeconfig(text: string): Promise<{ DURABLE_RESTORE_TEST_KUBECONFIG: string }> {
    const path = join(await temporaryFolder(), 'kubeconfig');
    await writeFile(path, text);
    return { DURABLE_RESTORE_TEST_KUBECONFIG: path };
  }

  const two = `
current-context: second
contexts:
  - {name: first, context: {cluster: one, user: me}}
  - {name: second, context: {cluster: two, user: me}}
clusters:
  - {name: one, cluster: {server: 'https://one.example:6443'}}
  - {name: two, cluster: {server: 'https://two.example:6443'}}
`;

  it('is none when none is given', () => {
    expect(existingControlPlane({})).toBeUndefined();
  });

  it('is the cluster of the current context', async () => {
    const environment = await kubeconfig(two);
    expect(existingControlPlane(environment)).toEqual({
      kubeconfigPath: environment.DURABLE_RESTORE_TEST_KUBECONFIG,
      url: 'https://two.example:6443',
    });
  });

  it.each([
    ['no current context', two.replace('current-context: second', '')],
    ['a context without its cluster', two.replace('name: two', 'name: three')],
    ['something else', '- a\n- b\n'],
    ['nothing', ''],
  ])('is refused when the file holds %s', async (_, text) => {
    const environment = await kubeconfig(text);
    expect(() => existingControlPlane(environment)).toThrow(
      'expected a kubeconfig whose current context has a cluster',
    );
  });
});

describe('table', () => {
  it('aligns columns and leaves no spaces at the end', () => {
    const rows = [
      ['etcd', '1'],
      ['kube-apiserver', '22'],
    ];
    expect(table(['NAME', 'PID'], rows)).toBe('NAME            PID\netcd            1\nkube-apiserver  22');
  });
});
