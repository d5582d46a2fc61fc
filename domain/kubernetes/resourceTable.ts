import { formatGroupResource, type GroupResource } from './groupResource.ts';

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
  private readonly byName = new Map<string, ApiResource[]>();
  private readonly byKind = new Map<string, ApiResource>();

  /** @param resources in the order of discovery: core group first, preferred versions before others of their group. */
  constructor(resources: readonly ApiResource[], groups: readonly ApiGroupVersions[]) {
    this.resources = resources;
    this.groups = groups;
    for (const resource of resources) {
      for (const name of new Set([
        resource.resource,
        resource.singular,
        resource.kind.toLowerCase(),
        ...resource.shortNames,
      ])) {
        if (name !== '') this.byName.set(name, [...(this.byName.get(name) ?? []), resource]);
      }
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
    if (dot < 0) return this.byName.get(lower)?.[0];
    const candidates = this.byName.get(lower.slice(0, dot)) ?? [];
    const group = lower.slice(dot + 1);
    return (
      candidates.find((candidate) => candidate.group === group) ??
      candidates.find((candidate) => `${candidate.version}.${candidate.group}` === group) ??
      candidates.find((candidate) => candidate.group.startsWith(group))
    );
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
    return this.byName.get(resource)?.find((candidate) => candidate.group === group && candidate.resource === resource);
  }

  /** A table that knows `more` too; what is already known wins. */
  withResources(more: readonly ApiResource[]): ResourceTable {
    const known = new Set(this.resources.map((one) => `${one.group}/${one.version}/${one.resource}`));
    const added = more.filter((one) => !known.has(`${one.group}/${one.version}/${one.resource}`));
    return new ResourceTable([...this.resources, ...added], this.groups);
  }
}
