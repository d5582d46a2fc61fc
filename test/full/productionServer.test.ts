import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { searchAttributes } from '../../domain/contract.ts';
import { projectFolder } from '../../tools/compose/composeFile.ts';
import { ProductionServer } from '../../tools/compose/productionServer.ts';
import { type CommandResult, runCommand } from '../../tools/servers/command.ts';
import { ensurePrograms } from '../../tools/servers/ensure.ts';

/**
 * The services of docker-compose.yml as plain processes on a real PostgreSQL: its environments, its scripts, its health
 * check. The tests build on each other, as the steps of a first start and of the starts after it do.
 */
let folder: string;
let production: ProductionServer;
let programs: Record<'temporal-server' | 'temporal-sql-tool' | 'temporal', string>;

/** Building the server takes ten minutes on two cores, once. */
const startTimeoutMs = 1_800_000;
const stepTimeoutMs = 300_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'production-server-'));
  // PostgreSQL runs as another user where the tests run as root, and has to get to its own folder.
  await chmod(folder, 0o711);
  programs = await ensurePrograms(['temporal-server', 'temporal-sql-tool', 'temporal']);
  production = await ProductionServer.start({
    directory: folder,
    programs,
    variables: { POSTGRES_PASSWORD: '4f1c9d2e7b' },
  });
}, startTimeoutMs);

afterAll(async () => {
  // Undefined when the first step failed: then there is nothing to stop, and that failure is the one to see.
  await (production as ProductionServer | undefined)?.stop();
  await rm(folder, { recursive: true });
}, stepTimeoutMs);

/** The output of a command that has to succeed. */
function outputOf(result: CommandResult): string {
  expect({ code: result.code, errors: result.code === 0 ? [] : result.errorTail }).toEqual({ code: 0, errors: [] });
  return result.output;
}

async function registeredSearchAttributes(): Promise<Record<string, string>> {
  const listed = outputOf(await production.temporal('operator', 'search-attribute', 'list'));
  const rows = listed.split('\n').map((line) => line.trim().split(/\s+/));
  return Object.fromEntries(rows.flatMap(([name, type]) => (name && type ? [[name, type.toUpperCase()]] : [])));
}

async function retention(): Promise<unknown> {
  const described = outputOf(await production.temporal('operator', 'namespace', 'describe', '-o', 'json'));
  const { config } = JSON.parse(described) as { config: { workflowExecutionRetentionTtl: string } };
  return config.workflowExecutionRetentionTtl;
}

/** Ids of the workflows that a visibility query finds, asked until there are that many or half a minute has passed. */
async function workflowIds(query: string, expected: number): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const listed = outputOf(await production.temporal('workflow', 'list', '--query', query, '-o', 'json'));
    const ids = (JSON.parse(listed) as { execution: { workflowId: string } }[]).map(
      ({ execution }) => execution.workflowId,
    );
    if (ids.length === expected || attempt === 60) return ids.sort();
    await sleep(500);
  }
}

describe('the first start', () => {
  it(
    'sets up both schemas',
    async () => {
      const output = outputOf(await production.setUpSchema());
      expect(output).toMatch(/database 'temporal' has the schema postgresql\/v12\/temporal of .*1\.32/);
      expect(output).toMatch(/database 'temporal_visibility' has the schema postgresql\/v12\/visibility/);
    },
    stepTimeoutMs,
  );

  it(
    'has a dynamic configuration of which the server knows every key',
    async () => {
      const file = join(projectFolder, 'deploy', 'compose', 'dynamic-config', 'dynamic-config.yaml');
      expect(outputOf(await runCommand(programs['temporal-server'], ['validate-dynamic-config', file]))).toBe(
        `${file}\n`,
      );
    },
    stepTimeoutMs,
  );

  it(
    'starts a server that passes the health check of the file',
    async () => {
      await production.startServer();
      expect(outputOf(await production.temporal('operator', 'cluster', 'health'))).toContain('SERVING');
    },
    stepTimeoutMs,
  );

  it(
    'creates the namespace with its retention and the search attributes of the contract',
    async () => {
      outputOf(await production.setUpNamespace());
      expect(await retention()).toBe('604800s');
      expect(await registeredSearchAttributes()).toMatchObject(searchAttributes);
    },
    stepTimeoutMs,
  );

  it(
    'takes a restore with its search attributes at once and finds it by them',
    async () => {
      for (const name of ['one', 'two']) {
        const start = await production.temporal(
          ...['workflow', 'start', '--type=restore', `--workflow-id=restore/default/velero/${name}`],
          ...['--task-queue=durable-restore/nobody', `--search-attribute=RestoreName="${name}"`],
          ...['--search-attribute=BackupName="full"', '--search-attribute=RestorePhase="InProgress"'],
          ...['--search-attribute=RestoreErrors=0', '--search-attribute=RestoreItems=343'],
        );
        outputOf(start);
      }
      expect(await workflowIds('RestoreName = "two"', 1)).toEqual(['restore/default/velero/two']);
      expect(await workflowIds('BackupName = "full" AND RestoreItems > 300 AND RestoreErrors = 0', 2)).toEqual([
        'restore/default/velero/one',
        'restore/default/velero/two',
      ]);
      expect(await workflowIds('RestorePhase = "Completed"', 0)).toEqual([]);
    },
    stepTimeoutMs,
  );
});

describe('every later start', () => {
  it(
    'leaves the schemas as they are',
    async () => {
      const versions = 'SELECT curr_version FROM schema_version';
      const before = await production.query(versions);
      outputOf(await production.setUpSchema());
      expect(await production.query(versions)).toBe(before);
    },
    stepTimeoutMs,
  );

  it(
    'leaves the search attributes as they are and sets the retention that is asked for',
    async () => {
      const before = await registeredSearchAttributes();
      outputOf(await production.setUpNamespace({ TEMPORAL_NAMESPACE_RETENTION: '240h' }));
      expect(await retention()).toBe('864000s');
      expect(await registeredSearchAttributes()).toEqual(before);
    },
    stepTimeoutMs,
  );

  it(
    'keeps restores over a killed server, and the number of shards whatever is asked for',
    async () => {
      production.server.kill('SIGKILL');
      await production.server.exited;
      await production.useVariables({ TEMPORAL_HISTORY_SHARDS: '512' });
      await production.startServer();
      expect(await production.query('SELECT count(*) FROM shards')).toBe('128');
      const id = '--workflow-id=restore/default/velero/one';
      const described = outputOf(await production.temporal('workflow', 'describe', id, '-o', 'json'));
      expect(JSON.parse(described)).toMatchObject({
        workflowExecutionInfo: { status: 'WORKFLOW_EXECUTION_STATUS_RUNNING' },
      });
      expect(await workflowIds('BackupName = "full"', 2)).toHaveLength(2);
    },
    stepTimeoutMs,
  );

  it(
    'fails and names the attribute when one is there with another type',
    async () => {
      const created = await production.temporal('operator', 'namespace', 'create', '-n', 'foreign');
      outputOf(created);
      const flags = ['-n', 'foreign', '--name', 'RestoreItems', '--type', 'Keyword'];
      outputOf(await production.temporal('operator', 'search-attribute', 'create', ...flags));
      const { code, errorTail } = await production.setUpNamespace({ TEMPORAL_NAMESPACE: 'foreign' });
      expect(code).toBe(1);
      expect(errorTail.at(-1)).toBe(
        "setup-namespace: search attribute RestoreItems of namespace 'foreign' has type Keyword, expected Int",
      );
    },
    stepTimeoutMs,
  );

  it(
    'fails with a wrong password after the attempts it is given, without showing the password',
    async () => {
      const result = await production.setUpSchema({ SQL_PASSWORD: 'not-the-password', SETUP_ATTEMPTS: '2' });
      expect(result.code).toBe(1);
      expect(result.errorTail.at(-1)).toContain("no database 'temporal'");
      expect(result.output + result.errorTail.join('\n')).not.toContain('not-the-password');
    },
    stepTimeoutMs,
  );
});
