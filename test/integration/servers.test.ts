import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { startControlPlane } from '../../tools/servers/controlPlane.ts';
import { isAlive } from '../../tools/servers/lock.ts';
import { startS3Server } from '../../tools/servers/s3Server.ts';
import { startTemporalDevServer } from '../../tools/servers/temporalDevServer.ts';

let directory: string;
const pids: number[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'servers-test-'));
});

afterEach(() => {
  expect(pids.splice(0).filter(isAlive)).toEqual([]);
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;

/** Calls the API server that a kubeconfig names, with everything that it says about trust and identity. */
async function caller(kubeconfigPath: string): Promise<Call> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigPath);
  const options: RequestOptions = { headers: { 'content-type': 'application/json' }, agent: false };
  await config.applyToHTTPSOptions(options);
  return async (method, path, body) => {
    const sent = request(`${config.getCurrentCluster()?.server ?? ''}${path}`, { ...options, agent: false, method });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await json(response) };
  };
}

async function untilStatus(status: number, ask: () => Promise<{ status: number }>): Promise<void> {
  while ((await ask()).status !== status) await sleep(100);
}

describe('startControlPlane', () => {
  it('runs an API server with the minimal controllers, restarts it, and starts again from its etcd data', async () => {
    const plane = await startControlPlane({ directory: join(directory, 'one'), controllers: 'minimal', audit: true });
    try {
      pids.push(plane.etcd.process.pid, plane.apiServer.process.pid, plane.controllerManager?.process.pid ?? 0);
      const call = await caller(plane.kubeconfigPath);
      await call('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
      const colours = { metadata: { name: 'colours' }, data: { sky: 'blue' } };
      expect((await call('POST', '/api/v1/namespaces/shop/configmaps', colours)).status).toBe(201);
      await untilStatus(200, () => call('GET', '/api/v1/namespaces/shop/serviceaccounts/default'));

      const before = plane.apiServer.process.pid;
      plane.apiServer.process.kill('SIGKILL');
      await plane.restartApiServer();
      pids.push(plane.apiServer.process.pid);
      expect(plane.apiServer.process.pid).not.toBe(before);
      const survived = await call('GET', '/api/v1/namespaces/shop/configmaps/colours');
      expect(survived.body).toMatchObject({ data: { sky: 'blue' } });

      await call('POST', '/api/v1/namespaces', { metadata: { name: 'passing' } });
      await call('DELETE', '/api/v1/namespaces/passing');
      await untilStatus(404, () => call('GET', '/api/v1/namespaces/passing'));

      const audit = await readFile(plane.apiServer.auditLogPath ?? '', 'utf8');
      expect(audit).toContain('"requestURI":"/api/v1/namespaces/shop/configmaps"');
      for (const secret of [
        plane.kubeconfigPath,
        join(directory, 'one', 'tokens.csv'),
        join(directory, 'one', 'sa.key'),
      ]) {
        expect(((await stat(secret)).mode & 0o777).toString(8)).toBe('600');
      }
    } finally {
      await plane.stop();
    }

    const copy = await startControlPlane({
      directory: join(directory, 'two'),
      controllers: 'none',
      etcdData: plane.etcd.dataDirectory,
    });
    try {
      pids.push(copy.etcd.process.pid, copy.apiServer.process.pid);
      expect(copy.controllerManager).toBeUndefined();
      const call = await caller(copy.kubeconfigPath);
      const copied = await call('GET', '/api/v1/namespaces/shop/configmaps/colours');
      expect(copied.body).toMatchObject({ data: { sky: 'blue' } });
      // No default ServiceAccount in a namespace made here, and a pod is welcome all the same.
      await call('POST', '/api/v1/namespaces', { metadata: { name: 'bare' } });
      const alone = {
        metadata: { name: 'alone' },
        spec: { containers: [{ name: 'main', image: 'localhost/main:1' }] },
      };
      expect((await call('POST', '/api/v1/namespaces/bare/pods', alone)).status).toBe(201);
    } finally {
      await copy.stop();
    }
  }, 300_000);
});

describe('startS3Server', () => {
  it('serves the folders of a directory as buckets, and sees files that are put there', async () => {
    const served = join(directory, 's3');
    await mkdir(join(served, 'velero'), { recursive: true });
    const server = await startS3Server({ directory: served });
    pids.push(server.process.pid);
    const client = new S3Client({
      endpoint: server.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    try {
      const Bucket = 'velero';
      await client.send(new PutObjectCommand({ Bucket, Key: 'backups/one/velero-backup.json', Body: '{}' }));
      expect(await readFile(join(served, 'velero', 'backups', 'one', 'velero-backup.json'), 'utf8')).toBe('{}');
      await writeFile(join(served, 'velero', 'backups', 'one', 'later.txt'), 'here');
      const later = await client.send(new GetObjectCommand({ Bucket, Key: 'backups/one/later.txt' }));
      expect(await later.Body?.transformToString()).toBe('here');
      const list = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'backups/' }));
      expect(list.Contents?.map(({ Key }) => Key)).toEqual(['backups/one/later.txt', 'backups/one/velero-backup.json']);
    } finally {
      client.destroy();
      await server.stop();
    }
  }, 60_000);
});

describe('startTemporalDevServer', () => {
  it('takes a workflow with our search attributes, keeps it in the database file, serves the UI', async () => {
    const restoreName = defineSearchAttributeKey('RestoreName', 'KEYWORD');
    const options = {
      directory: join(directory, 'temporal'),
      databaseFile: join(directory, 'temporal.db'),
      searchAttributes: { RestoreName: 'Keyword' } as const,
    };
    const first = await startTemporalDevServer(options);
    pids.push(first.process.pid);
    try {
      expect(first.uiUrl).toBeUndefined();
      await withClient(first.address, async (client) => {
        await client.workflow.start('restore', {
          workflowId: 'restore/one',
          taskQueue: 'nobody',
          typedSearchAttributes: [{ key: restoreName, value: 'one' }],
        });
      });
    } finally {
      await first.stop();
    }

    const second = await startTemporalDevServer({ ...options, ui: true });
    pids.push(second.process.pid);
    try {
      await withClient(second.address, async (client) => {
        const found = await client.workflow.getHandle('restore/one').describe();
        expect(found.status.name).toBe('RUNNING');
        expect(found.typedSearchAttributes.get(restoreName)).toBe('one');
      });
      expect(await (await fetch(second.uiUrl ?? '')).text()).toContain('<html');
    } finally {
      await second.stop();
    }
  }, 120_000);
});

async function withClient(address: string, work: (client: Client) => Promise<void>): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}
