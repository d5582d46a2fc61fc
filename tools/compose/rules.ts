import type { ComposeFile, ComposeService } from './composeFile.schema.ts';
import { serviceNamed } from './composeFile.ts';

/** Fewer shards than this cap the throughput of a restore, and the number can never be raised afterwards. */
const leastHistoryShards = 128;

/** Temporal's frontend, history, matching and worker services each open pools of their own. */
const temporalServices = 4;

/** Connections that PostgreSQL keeps for superusers, the schema job and a person with psql. */
const spareConnections = 20;

/** What each service of docker-compose.yml waits for, by design: without it the first start is a race. */
const conditions: Record<string, Record<string, string>> = {
  'temporal-schema': { postgresql: 'service_healthy' },
  temporal: { postgresql: 'service_healthy', 'temporal-schema': 'service_completed_successfully' },
  'temporal-namespace': { temporal: 'service_healthy' },
  'temporal-ui': { temporal: 'service_healthy' },
  worker: { temporal: 'service_healthy', 'temporal-namespace': 'service_completed_successfully' },
};

const jobs = ['temporal-schema', 'temporal-namespace'];
const servers = ['postgresql', 'temporal', 'temporal-ui', 'worker'];
const unpublished = ['postgresql', 'temporal-schema', 'temporal-namespace', 'worker'];

/**
 * The rules of docker-compose.yml that no schema knows: pinned tags, matching Temporal versions, enough shards and
 * database connections, order of start, no port open to other machines.
 * @param packageVersion version of this package, which the worker's image must carry
 * @returns one sentence for each rule broken, naming the service; empty when all is well
 */
export function composeProblems(file: ComposeFile, packageVersion: string): string[] {
  const missing = [...jobs, ...servers].filter((name) => !(name in file.services));
  if (missing.length > 0) {
    return missing.map((name) => `services.${name}: missing`);
  }
  return [
    ...(file.version === undefined ? [] : ['version: obsolete in the compose specification, expected none']),
    ...Object.entries(file.services).flatMap(([name, service]) => serviceProblems(name, service)),
    ...temporalVersionProblems(file),
    ...capacityProblems(file),
    ...storageProblems(file),
    ...workerProblems(serviceNamed(file, 'worker'), packageVersion),
  ];
}

function serviceProblems(name: string, service: ComposeService): string[] {
  const problems = imageProblems(name, service.image);
  for (const [dependency, condition] of Object.entries(conditions[name] ?? {})) {
    const actual = service.depends_on[dependency]?.condition;
    if (actual !== condition) {
      problems.push(
        `services.${name}.depends_on.${dependency}: condition is ${actual ?? 'missing'}, expected ${condition}`,
      );
    }
  }
  for (const port of service.ports) {
    if (port.host_ip !== '127.0.0.1') {
      problems.push(
        `services.${name}.ports: ${port.target} is open on ${port.host_ip ?? 'every address'}, expected 127.0.0.1`,
      );
    }
  }
  if (unpublished.includes(name) && service.ports.length > 0) {
    problems.push(`services.${name}.ports: expected none`);
  }
  if (servers.includes(name) && service.healthcheck === undefined) {
    problems.push(`services.${name}.healthcheck: missing`);
  }
  const restart = jobs.includes(name) ? 'no' : 'unless-stopped';
  if (service.restart !== restart) {
    problems.push(`services.${name}.restart: is ${service.restart ?? 'missing'}, expected ${restart}`);
  }
  return problems;
}

function imageProblems(name: string, image: string): string[] {
  if (image.includes('auto-setup')) {
    return [`services.${name}.image: ${image} is deprecated and has no images of this release line`];
  }
  const tag = tagOf(image);
  if (!/^\d+\.\d+(\.\d+)?([-.].+)?$/.test(tag)) {
    return [`services.${name}.image: ${image} is not pinned, expected a tag with at least two numbers`];
  }
  return [];
}

function tagOf(image: string): string {
  return /:([^:/]+)$/.exec(image)?.[1] ?? '';
}

function temporalVersionProblems(file: ComposeFile): string[] {
  const server = serviceNamed(file, 'temporal').image;
  const problems = /^temporalio\/server:1\.3\d\.\d+$/.test(server)
    ? []
    : [`services.temporal.image: ${server}, expected temporalio/server of a 1.3x release`];
  const expected = `temporalio/admin-tools:${tagOf(server)}`;
  for (const name of jobs) {
    const { image } = serviceNamed(file, name);
    if (image !== expected) {
      problems.push(`services.${name}.image: ${image}, expected ${expected} to match the server`);
    }
  }
  return problems;
}

function capacityProblems(file: ComposeFile): string[] {
  const { environment } = serviceNamed(file, 'temporal');
  const problems: string[] = [];
  const shards = Number(environment['NUM_HISTORY_SHARDS'] ?? '4');
  if (!(shards >= leastHistoryShards)) {
    problems.push(
      `services.temporal.environment.NUM_HISTORY_SHARDS: ${shards}, expected ${leastHistoryShards} or more`,
    );
  }
  const pool = Number(environment['SQL_MAX_CONNS'] ?? '20') + Number(environment['SQL_VIS_MAX_CONNS'] ?? '10');
  const needed = temporalServices * pool + spareConnections;
  const option = (serviceNamed(file, 'postgresql').command ?? []).find((word) => word.startsWith('max_connections='));
  const offered = Number(option?.split('=')[1] ?? '100');
  if (!(offered >= needed)) {
    problems.push(`services.postgresql.command: max_connections is ${offered}, expected ${needed} or more`);
  }
  return problems;
}

/** Anonymous volumes are left behind by the next container, and the history with them. */
function storageProblems(file: ComposeFile): string[] {
  const data = serviceNamed(file, 'postgresql').volumes.find((volume) => volume.target === '/var/lib/postgresql/data');
  if (data?.type !== 'volume' || !(data.source in file.volumes)) {
    return ['services.postgresql.volumes: expected a named volume at /var/lib/postgresql/data'];
  }
  return [];
}

function workerProblems(worker: ComposeService, packageVersion: string): string[] {
  const problems: string[] = [];
  if (tagOf(worker.image) !== packageVersion) {
    problems.push(`services.worker.image: ${worker.image}, expected the package's version ${packageVersion} as tag`);
  }
  if (worker.build === undefined || worker.pull_policy !== 'build') {
    problems.push('services.worker: expected build and pull_policy build, so that no registry is asked for the image');
  }
  if (worker.command?.[0] !== 'worker') {
    problems.push('services.worker.command: expected the command worker of durable-restore');
  }
  for (const volume of worker.volumes) {
    if (volume.type === 'bind' && volume.read_only !== true) {
      problems.push(`services.worker.volumes: ${volume.target} is writable, expected read_only`);
    }
  }
  const healthCheck = worker.healthcheck?.test.join(' ') ?? '';
  if (!healthCheck.includes(':9090/healthz')) {
    problems.push('services.worker.healthcheck: expected /healthz on port 9090');
  }
  return problems;
}
