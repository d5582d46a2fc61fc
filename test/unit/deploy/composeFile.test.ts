import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type ComposeFile, composeFileSchema } from '../../../tools/compose/composeFile.schema.ts';
import { parseComposeFile, projectFolder, readComposeFile, serviceNamed } from '../../../tools/compose/composeFile.ts';
import { composeProblems } from '../../../tools/compose/rules.ts';

const variables = { POSTGRES_PASSWORD: 'p1' };

async function packageVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as { version: string }).version;
}

describe('docker-compose.yml', () => {
  it('keeps every rule', async () => {
    expect(composeProblems(await readComposeFile(variables), await packageVersion())).toEqual([]);
  });

  it('hands the password to the database, the schema job and the server alike', async () => {
    const file = await readComposeFile(variables);
    expect(serviceNamed(file, 'postgresql').environment['POSTGRES_PASSWORD']).toBe('p1');
    expect(serviceNamed(file, 'temporal-schema').environment['SQL_PASSWORD']).toBe('p1');
    expect(serviceNamed(file, 'temporal').environment['POSTGRES_PWD']).toBe('p1');
  });

  it('refuses to start without a password', async () => {
    await expect(readComposeFile({})).rejects.toThrow(
      'variable POSTGRES_PASSWORD is not set: copy .env.example to .env',
    );
  });

  it('names the worker of the cluster and namespace that the variables give', async () => {
    const file = await readComposeFile({
      ...variables,
      DURABLE_RESTORE_CLUSTER: 'east',
      TEMPORAL_NAMESPACE: 'restores',
    });
    expect(serviceNamed(file, 'worker').command).toContain('east');
    for (const name of ['worker', 'temporal-namespace']) {
      expect(serviceNamed(file, name).environment['TEMPORAL_NAMESPACE']).toBe('restores');
    }
  });

  it('uses no variable that .env.example does not explain', async () => {
    const compose = await readFile(join(projectFolder, 'docker-compose.yml'), 'utf8');
    const example = await readFile(join(projectFolder, '.env.example'), 'utf8');
    const used = new Set(Array.from(compose.matchAll(/\$\{(\w+)/g), (match) => match[1]));
    const explained = new Set(Array.from(example.matchAll(/^#?(\w+)=/gm), (match) => match[1]));
    expect(used).toEqual(explained);
  });

  it('shows in .env.example the defaults that it has', async () => {
    const compose = await readFile(join(projectFolder, 'docker-compose.yml'), 'utf8');
    const example = await readFile(join(projectFolder, '.env.example'), 'utf8');
    for (const [, name, value] of compose.matchAll(/\$\{(\w+):-([^}]*)\}/g)) {
      expect(example).toContain(`#${name ?? ''}=${value ?? ''}\n`);
    }
  });
});

describe('composeProblems', () => {
  const breakages: [string, (file: ComposeFile) => void, string][] = [
    ['a version line', (file) => (file.version = '3.8'), 'version: obsolete'],
    ['no worker', (file) => delete file.services['worker'], 'services.worker: missing'],
    ['tag latest', (file) => (serviceNamed(file, 'temporal-ui').image = 'temporalio/ui:latest'), 'is not pinned'],
    ['no tag', (file) => (serviceNamed(file, 'temporal-ui').image = 'localhost:5000/ui'), 'is not pinned'],
    ['a major version alone', (file) => (serviceNamed(file, 'postgresql').image = 'postgres:15'), 'is not pinned'],
    ['auto-setup', (file) => (serviceNamed(file, 'temporal').image = 'temporalio/auto-setup:1.29.6'), 'is deprecated'],
    [
      'an old server',
      (file) => (serviceNamed(file, 'temporal').image = 'temporalio/server:1.29.1'),
      'expected temporalio/server of a 1.3x release',
    ],
    [
      'other admin tools than the server',
      (file) => (serviceNamed(file, 'temporal-schema').image = 'temporalio/admin-tools:1.31.2'),
      'expected temporalio/admin-tools:1.32.0 to match the server',
    ],
    [
      'too few shards',
      (file) => (serviceNamed(file, 'temporal').environment['NUM_HISTORY_SHARDS'] = '4'),
      'NUM_HISTORY_SHARDS: 4, expected 128 or more',
    ],
    [
      'shards that are no number',
      (file) => (serviceNamed(file, 'temporal').environment['NUM_HISTORY_SHARDS'] = 'many'),
      'NUM_HISTORY_SHARDS: NaN',
    ],
    [
      'no shards',
      (file) => delete serviceNamed(file, 'temporal').environment['NUM_HISTORY_SHARDS'],
      'NUM_HISTORY_SHARDS: 4',
    ],
    [
      "PostgreSQL's own connection limit",
      (file) => (serviceNamed(file, 'postgresql').command = null),
      'max_connections is 100, expected 220 or more',
    ],
    [
      'larger pools',
      (file) => (serviceNamed(file, 'temporal').environment['SQL_MAX_CONNS'] = '80'),
      'max_connections is 240, expected 380 or more',
    ],
    [
      'an anonymous database volume',
      (file) => (serviceNamed(file, 'postgresql').volumes = []),
      'expected a named volume at /var/lib/postgresql/data',
    ],
    ['an undeclared volume', (file) => (file.volumes = {}), 'expected a named volume at /var/lib/postgresql/data'],
    [
      'a published database',
      (file) => (serviceNamed(file, 'postgresql').ports = [{ host_ip: '127.0.0.1', target: 5432 }]),
      'services.postgresql.ports: expected none',
    ],
    [
      'a frontend open to the network',
      (file) => (serviceNamed(file, 'temporal').ports = [{ target: 7233 }]),
      '7233 is open on every address, expected 127.0.0.1',
    ],
    [
      'a server that does not wait for its schema',
      (file) => delete serviceNamed(file, 'temporal').depends_on['temporal-schema'],
      'services.temporal.depends_on.temporal-schema: condition is missing',
    ],
    [
      'a worker that only waits for the job to start',
      (file) => (serviceNamed(file, 'worker').depends_on['temporal-namespace'] = { condition: 'service_started' }),
      'condition is service_started, expected service_completed_successfully',
    ],
    ['no health check', (file) => delete serviceNamed(file, 'temporal').healthcheck, 'services.temporal.healthcheck'],
    [
      'a job that is restarted',
      (file) => (serviceNamed(file, 'temporal-schema').restart = 'always'),
      'services.temporal-schema.restart: is always, expected no',
    ],
    [
      'a server that is not restarted',
      (file) => delete serviceNamed(file, 'temporal').restart,
      'services.temporal.restart: is missing, expected unless-stopped',
    ],
    [
      'a writable kubeconfig',
      (file) => {
        for (const volume of serviceNamed(file, 'worker').volumes) delete volume.read_only;
      },
      '/etc/durable-restore is writable',
    ],
    [
      'a worker image of another version',
      (file) => (serviceNamed(file, 'worker').image = 'durable-restore:0.0.1'),
      'as tag',
    ],
    ['a worker image from a registry', (file) => delete serviceNamed(file, 'worker').pull_policy, 'pull_policy build'],
    ['another command', (file) => (serviceNamed(file, 'worker').command = ['run']), 'expected the command worker'],
    [
      'another health port',
      (file) => (serviceNamed(file, 'worker').healthcheck = { test: ['CMD', 'true'] }),
      'expected /healthz on port 9090',
    ],
  ];

  it.each(breakages)('reports %s', async (_, change, expected) => {
    const file = await readComposeFile(variables);
    change(file);
    expect(composeProblems(file, await packageVersion()).join('\n')).toContain(expected);
  });
});

describe('parseComposeFile', () => {
  it('fills in values after parsing, so that none can change the structure', () => {
    const text = 'services: {a: {image: "x:1.0", environment: {P: "${SECRET:?needed}", Q: "${OTHER:-d}-${OTHER:-e}"}}}';
    const file = parseComposeFile(text, { SECRET: 's\'} #: "\n' });
    expect(serviceNamed(file, 'a').environment).toEqual({ P: 's\'} #: "\n', Q: 'd-e' });
  });

  it('takes an empty variable for one that is not set, as compose does with a colon', () => {
    const text = 'services: {a: {image: "x:1.0", user: "${U:-7}"}}';
    expect(serviceNamed(parseComposeFile(text, { U: '' }), 'a').user).toBe('7');
  });
});

describe('the schema of our rules', () => {
  it('does not lose what it does not know', async () => {
    const raw: unknown = parse(await readFile(join(projectFolder, 'docker-compose.yml'), 'utf8'), { merge: true });
    expect(composeFileSchema.parse(raw)).toMatchObject(raw as object);
  });

  it('names a service that is not there', async () => {
    const file = await readComposeFile(variables);
    expect(() => serviceNamed(file, 'redis')).toThrow('services.redis: missing in the compose file');
  });
});
