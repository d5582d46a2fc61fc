import { getArray, getString, type Json, type JsonObject } from '../../domain/json.ts';
import type { ApiFailure, ApiResult } from '../../domain/kubernetes/api.ts';
import { classifyFailure } from '../../domain/kubernetes/fault.ts';
import { type ApiResource, ResourceTable } from '../../domain/kubernetes/resourceTable.ts';
import type { DiscoveredGroup, DiscoveredVersion } from './discoveryDocuments.ts';
import { parseAggregatedGroups, parseLegacyResources } from './discoveryDocuments.ts';

/** Thrown where the API server answers but does not tell what it serves. */
export class DiscoveryError extends Error {
  readonly type = 'KubernetesDiscovery';
  constructor(
    path: string,
    readonly failure: ApiFailure,
  ) {
    super(`discovery of ${path}: ${failure.message} (HTTP ${failure.status})`);
    this.name = 'DiscoveryError';
  }

  /** Whether trying again later can help: an API server that starts or whose credentials are being renewed. */
  get retryable(): boolean {
    return classifyFailure(this.failure) !== 'item';
  }
}

export type DocumentReader = (path: string, accept: string) => Promise<ApiResult>;

interface DiscoveryLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** The order g, v, as matters to the API server. One that does not know these answers with the legacy document. */
const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** What an API server serves, asked for once and kept until someone wants it anew. */
export class Discovery {
  private readonly read: DocumentReader;
  private readonly log: DiscoveryLog | undefined;
  private table: ResourceTable | undefined;
  private running: Promise<ResourceTable> | undefined;
  private next: Promise<ResourceTable> | undefined;

  constructor(read: DocumentReader, log?: DiscoveryLog) {
    this.read = read;
    this.log = log;
  }

  /** The last table, or the first. */
  async get(): Promise<ResourceTable> {
    return this.table ?? this.running ?? this.start();
  }

  /**
   * A table that was asked for after this call. Callers share one round of requests, but never one that had begun before:
   * it may have missed the CRD on whose account they ask.
   */
  async refresh(): Promise<ResourceTable> {
    if (this.running === undefined) return this.start();
    this.next ??= this.running.then(
      () => this.startNext(),
      () => this.startNext(),
    );
    return this.next;
  }

  private startNext(): Promise<ResourceTable> {
    this.next = undefined;
    return this.start();
  }

  private start(): Promise<ResourceTable> {
    const running = readResourceTable(this.read, this.log);
    this.running = running
      .then((table) => {
        this.table = table;
        return table;
      })
      .finally(() => {
        this.running = undefined;
      });
    return this.running;
  }
}

/**
 * Asks an API server for all it serves: two requests where it knows aggregated discovery (1.27 and newer), else one more for
 * each version. A version that could not be read (the server of an aggregated API is down) is left out and noted in
 * the table's `failedVersions`, like in client-go.
 * @throws DiscoveryError, KubernetesUnreachable
 */
async function readResourceTable(read: DocumentReader, log: DiscoveryLog | undefined): Promise<ResourceTable> {
  const documents = await Promise.all([readGroups(read, '/api'), readGroups(read, '/apis')]);
  const groups = documents.flat();
  const failed = groups.flatMap(({ group, versions }) =>
    versions.filter(({ resources }) => resources === undefined).map(({ version }) => ({ group, version })),
  );
  if (failed.length > 0) {
    log?.warn({ failedVersions: failed }, 'some API groups could not be discovered: their servers do not answer');
  }
  const known = groups
    .map(({ group, versions }) => ({ group, versions: versions.filter(isKnown) }))
    .filter(({ versions }) => versions.length > 0);
  const resources: ApiResource[] = known.flatMap(({ versions }) => versions.flatMap((version) => version.resources));
  return new ResourceTable(
    resources,
    known.map(({ group, versions }) => ({ group, versions: versions.map(({ version }) => version) })),
    failed,
  );
}

function isKnown(version: DiscoveredVersion): version is DiscoveredVersion & { resources: readonly ApiResource[] } {
  return version.resources !== undefined;
}

async function readGroups(read: DocumentReader, path: '/api' | '/apis'): Promise<readonly DiscoveredGroup[]> {
  const result = await read(path, AGGREGATED);
  // A server of aggregated APIs alone has no core group.
  if (!result.ok && result.status === 404 && path === '/api') return [];
  if (!result.ok) throw new DiscoveryError(path, result);
  if (result.object['kind'] === 'APIGroupDiscoveryList') return parseAggregatedGroups(result.object);
  const groups =
    path === '/api' ? [legacyCoreGroup(result.object)] : (getArray(result.object, ['groups']) ?? []).map(legacyGroup);
  return Promise.all(
    groups.map(async ({ group, versions }) => ({
      group,
      versions: await Promise.all(versions.map((version) => readLegacyVersion(read, group, version))),
    })),
  );
}

async function readLegacyVersion(read: DocumentReader, group: string, version: string): Promise<DiscoveredVersion> {
  const result = await read(group === '' ? `/api/${version}` : `/apis/${group}/${version}`, 'application/json');
  return { version, resources: result.ok ? parseLegacyResources(group, version, result.object) : undefined };
}

interface LegacyGroup {
  readonly group: string;
  readonly versions: readonly string[];
}

function legacyCoreGroup(document: JsonObject): LegacyGroup {
  const versions = getArray(document, ['versions']) ?? [];
  return { group: '', versions: versions.filter((version): version is string => typeof version === 'string') };
}

/** The preferred version first, the others in the server's order. */
function legacyGroup(group: Json): LegacyGroup {
  const versions = (getArray(group, ['versions']) ?? []).map((version) => getString(version, ['version']) ?? '');
  const preferred = getString(group, ['preferredVersion', 'version']);
  const ordered = [preferred, ...versions].filter((version) => version !== undefined && version !== '');
  return { group: getString(group, ['name']) ?? '', versions: [...new Set(ordered as string[])] };
}
