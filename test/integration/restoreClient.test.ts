import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { RestoreClient, TemporalNamespaceNotFound } from '../../client/index.ts';
import { ensurePrograms } from '../../tools/servers/ensure.ts';
import {
  restoreSearchAttributes,
  startTemporalDevServer,
  type TemporalDevServer,
} from '../../tools/servers/temporalDevServer.ts';

// What the client does by itself, without any worker: a restore that is started waits for one.

let directory: string;
let server: TemporalDevServer;
let connection: Connection;
let restores: RestoreClient;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'restore-client-'));
  server = await startTemporalDevServer({ directory, searchAttributes: restoreSearchAttributes });
  connection = await Connection.connect({ address: server.address });
  restores = clientFor(server.namespace);
}, 120_000);

afterAll(async () => {
  await connection.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

function clientFor(namespace: string, cluster?: string): RestoreClient {
  return new RestoreClient({ client: new Client({ connection, namespace }), address: server.address, cluster });
}

function restore(name: string): { name: string; spec: { backupName: string } } {
  return { name, spec: { backupName: 'nightly' } };
}

async function terminate(name: string): Promise<void> {
  const client = new Client({ connection, namespace: server.namespace });
  await client.workflow.getHandle(`restore/default/velero/${name}`).terminate('by the test');
}

describe('RestoreClient', () => {
  it('starts a restore once; the same name attaches to it, and says where the request differs', async () => {
    const notices: string[] = [];
    const onNotice = (text: string): number => notices.push(text);
    const first = await restores.start(restore('once'), { onNotice });
    expect(first).toMatchObject({ attached: false, workflowId: 'restore/default/velero/once', namespace: 'velero' });
    const same = await restores.start(restore('once'), { onNotice });
    expect(same).toMatchObject({ attached: true, uid: first.uid, runId: first.runId });
    expect(notices).toEqual([]);
    const other = { name: 'once', spec: { backupName: 'another' } };
    expect((await restores.start(other, { onNotice })).uid).toBe(first.uid);
    expect(notices).toEqual([expect.stringContaining('restore once was already started with other settings')]);
  });

  it('describes a restore that no worker has looked at', async () => {
    const { uid } = await restores.start(restore('waiting'), { memo: { who: 'test' } });
    const description = await restores.get('waiting');
    expect(description).toMatchObject({
      uid,
      phase: 'New',
      ended: false,
      backupName: 'nightly',
      storageLocation: 'default',
      input: { restore: { spec: { backupName: 'nightly' } }, useSearchAttributes: true },
      memo: { who: 'test' },
      taskQueue: 'durable-restore/default',
    });
    expect(description.notice).toContain('no worker answers on task queue durable-restore/default');
    await expect(restores.progress('waiting')).rejects.toMatchObject({ type: 'WorkerNotAnswering' });
  }, 60_000);

  it('lists the restores of its own cluster, the running ones alone where asked', async () => {
    const east = clientFor(server.namespace, 'east');
    await east.start(restore('listed'));
    await east.start(restore('ended'));
    const client = new Client({ connection, namespace: server.namespace });
    await client.workflow.getHandle('restore/east/velero/ended').terminate();
    for (;;) {
      const running = await east.list({ running: true });
      const all = await east.list();
      if (running.length === 1 && all.length === 2) {
        expect(running[0]).toMatchObject({ name: 'listed', cluster: 'east' });
        expect(all.map(({ name, phase }) => [name, phase]).sort()).toEqual([
          ['ended', 'Failed'],
          ['listed', 'New'],
        ]);
        break;
      }
      // Lists are a little behind.
      await sleep(100);
    }
    expect(await east.list({ limit: 1 })).toHaveLength(1);
  }, 60_000);

  it('R-307: tells how a restore ended, and never runs its name again', async () => {
    const handle = await restores.start(restore('ended'));
    const waiting = handle.result();
    await terminate('ended');
    await expect(waiting).rejects.toMatchObject({ type: 'RestoreTerminated' });
    expect(await restores.get('ended')).toMatchObject({ ended: true, phase: 'Failed' });
    await expect(restores.start(restore('ended'))).rejects.toMatchObject({ type: 'RestoreNameTaken', phase: 'Failed' });
    await expect(restores.cancel('ended')).rejects.toMatchObject({ type: 'RestoreAlreadyEnded' });
  }, 60_000);

  it('R-305: forgets a restore that has ended, and its name is free again; one that runs is refused', async () => {
    await restores.start(restore('forgotten'));
    await expect(restores.delete('forgotten')).rejects.toMatchObject({ type: 'RestoreStillRunning' });
    await terminate('forgotten');
    expect(await restores.delete('forgotten')).toBe(true);
    // The server deletes in the background.
    while (await restores.delete('forgotten')) await sleep(500);
    expect(await restores.start(restore('forgotten'))).toMatchObject({ attached: false });
    expect(await restores.delete('nope')).toBe(false);
    await restores.cancel('forgotten');
  }, 60_000);

  it('stops waiting when told to; the restore goes on', async () => {
    const handle = await restores.start(restore('patient'));
    const waiting = new AbortController();
    const result = handle.result({ signal: waiting.signal });
    waiting.abort(new Error('enough'));
    await expect(result).rejects.toThrow('enough');
    expect((await handle.describe()).ended).toBe(false);
    await handle.cancel();
  }, 60_000);

  it('R-285 R-325: does not know what was never started', async () => {
    await expect(restores.get('nope')).rejects.toMatchObject({ type: 'RestoreNotFound' });
    await expect(restores.cancel('nope')).rejects.toThrow('no restore named "nope" is known');
    await expect(restores.result('nope')).rejects.toMatchObject({ type: 'RestoreNotFound' });
  });

  it('starts nothing that is invalid', async () => {
    const invalid = { name: 'invalid', spec: { backupName: 'nightly', namespaceMapping: { shop: 'No_Name' } } };
    await expect(restores.start(invalid)).rejects.toMatchObject({ type: 'RestoreValidationFailed' });
    await expect(restores.get('invalid')).rejects.toMatchObject({ type: 'RestoreNotFound' });
  });

  it('names a Temporal namespace that is not there', async () => {
    await expect(clientFor('nowhere').start(restore('x'))).rejects.toBeInstanceOf(TemporalNamespaceNotFound);
  });

  it('does without search attributes where the server lacks them, with one notice', async () => {
    const { temporal } = await ensurePrograms(['temporal']);
    const flags = ['--namespace', 'bare', '--address', server.address];
    await promisify(execFile)(temporal, ['operator', 'namespace', 'create', ...flags]);
    const bare = clientFor('bare');
    const notices: string[] = [];
    for (;;) {
      try {
        await bare.start(restore('plain'), { onNotice: (text) => notices.push(text) });
        break;
      } catch (error) {
        // The server needs a moment to know a new namespace.
        if (!(error instanceof TemporalNamespaceNotFound)) throw error;
        await sleep(500);
      }
    }
    expect(notices).toEqual([expect.stringContaining('lacks the search attributes RestoreName, BackupName')]);
    expect(await bare.get('plain')).toMatchObject({ phase: 'New', input: { useSearchAttributes: false } });
  }, 60_000);
});
