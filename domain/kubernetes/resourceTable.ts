import { formatGroupResource, type GroupResource, type GroupVersion } from './groupResource.ts';

/** One resource of one version, as discovery lists it. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

export interface ApiGroupVersions {
  readonly group: string;
  /** In the API server's order: the preferred version first. */
  readonly versions: readonly string[];
}

/**
 * Names and kinds that an API server serves; resolves what people write in includes and excludes (plural, singular, short
 * name, kind, `resource.group`) like Velero's discovery helper (spec restore-pipeline.md §9).
 */
export class ResourceTable {
  readonly resources: readonly ApiResource[];
  readonly groups: readonly ApiGroupVersions[];
  /** Versions that the API server knows of but could not describe, because the server behind them does not answer. */
  readonly failedVersions: readonly GroupVersion[];
  /** What a name may mean, the strongest meaning first: a short name never hides a resource that is called so. */
  private readonly byName: readonly Map<string, ApiResource[]>[];
  private readonly byKind = new Map<string, ApiResource>();

  /** @param resources in the order of discovery: core group first, preferred versions before others of their group. */
  constructor(
    resources: readonly ApiResource[],
    groups: readonly ApiGroupVersions[],
    failedVersions: readonly GroupVersion[] = [],
  ) {
    this.resources = resources;
    this.groups = groups;
    this.failedVersions = failedVersions;
    this.byName = [
      indexBy(resources, ({ resource, singular }) => [resource, singular]),
      indexBy(resources, ({ kind }) => [kind.toLowerCase()]),
      indexBy(resources, ({ shortNames }) => shortNames),
    ];
    for (const resource of resources) {
      const kindKey = `${resource.group}/${resource.version}/${resource.kind}`;
      if (!this.byKind.has(kindKey)) this.byKind.set(kindKey, resource);
    }
  }

  /**
   * The resource that `name` means, in its preferred version, or undefined. `name` is a plural, singular or short name or a
   * kind, alone or followed by `.group` (a prefix of the group is enough, as in `deployments.apps`) or `.version.group`.
   */
  resolve(name: string): ApiResource | undefined {
    const lower = name.toLowerCase();
    const dot = lower.indexOf('.');
    const alone = dot < 0 ? lower : lower.slice(0, dot);
    const meanings = this.byName.map((index) => index.get(alone) ?? []);
    if (dot < 0) return meanings.flat()[0];
    const group = lower.slice(dot + 1);
    for (const candidates of meanings) {
      const found =
        candidates.find((candidate) => candidate.group === group) ??
        candidates.find((candidate) => `${candidate.version}.${candidate.group}` === group) ??
        candidates.find((candidate) => candidate.group.startsWith(group));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** `resource.group` of what `name` means; `name` itself where nothing has it, so that unknown names match nothing. */
  resolveName(name: string): string {
    const resource = this.resolve(name);
    return resource === undefined ? name : formatGroupResource(resource);
  }

  forKind(group: string, version: string, kind: string): ApiResource | undefined {
    return this.byKind.get(`${group}/${version}/${kind}`);
  }

  forGroupResource({ group, resource }: GroupResource): ApiResource | undefined {
    const candidates = this.byName[0]?.get(resource);
    return candidates?.find((candidate) => candidate.group === group && candidate.resource === resource);
  }

  /** A table that knows `more` too; what is already known wins. */
  withResources(more: readonly ApiResource[]): ResourceTable {
    const known = new Set(this.resources.map((one) => `${one.group}/${one.version}/${one.resource}`));
    const added = more.filter((one) => !known.has(`${one.group}/${one.version}/${one.resource}`));
    return new ResourceTable([...this.resources, ...added], this.groups, this.failedVersions);
  }
}

function indexBy(
  resources: readonly ApiResource[],
  namesOf: (resource: ApiResource) => readonly string[],
): Map<string, ApiResource[]> {
  const index = new Map<string, ApiResource[]>();
  for (const resource of resources) {
    for (const name of new Set(namesOf(resource))) {
      if (name === '') continue;
      const known = index.get(name);
      if (known === undefined) index.set(name, [resource]);
      else known.push(resource);
    }
  }
  return index;
}
