import { compileGlob } from '../go/glob.ts';
import { GlobSyntaxError } from '../go/globSyntax.ts';
import type { ResourceTable } from '../kubernetes/resourceTable.ts';

/**
 * Velero's include and exclude lists (spec restore-pipeline.md §9): excludes win; no includes, or `*` among them, mean everything;
 * every entry is a glob without separators, so `*` matches across dots.
 *
 * An entry that is no valid glob matches nothing. (In Velero it also switches off the entries sorted after it.)
 */
export class IncludesExcludes {
  /** Sorted, without repeats. */
  readonly includes: readonly string[];
  /** Sorted, without repeats. */
  readonly excludes: readonly string[];
  private readonly isIncluded: (text: string) => boolean;
  private readonly isExcluded: (text: string) => boolean;

  constructor(includes: readonly string[] = [], excludes: readonly string[] = []) {
    this.includes = sortedSet(includes);
    this.excludes = sortedSet(excludes);
    this.isIncluded = this.includes.length === 0 || this.includes.includes('*') ? () => true : matcher(this.includes);
    this.isExcluded = matcher(this.excludes);
  }

  shouldInclude(text: string): boolean {
    return !this.isExcluded(text) && this.isIncluded(text);
  }

  /** Whether nothing is filtered: includes are empty or only `*`, and there are no excludes. */
  includesEverything(): boolean {
    if (this.excludes.length > 0) return false;
    return this.includes.length === 0 || (this.includes.length === 1 && this.includes[0] === '*');
  }

  /** The includes as Velero logs them, e.g. `bar, foo`; `*` where there are none. */
  includesString(): string {
    return this.includes.join(', ') || '*';
  }

  /** The excludes as Velero logs them, e.g. `bar, foo`; `<none>` where there are none. */
  excludesString(): string {
    return this.excludes.join(', ') || '<none>';
  }
}

/**
 * Include and exclude lists of resources, whose entries are resolved to `resource.group`. Names that `table` does not know stay as they
 * are, so that a list of only unknown names matches nothing instead of everything; `*` among the excludes is left out.
 */
export function resourceIncludesExcludes(
  includes: readonly string[] | undefined,
  excludes: readonly string[] | undefined,
  table: ResourceTable,
): IncludesExcludes {
  const resolve = (name: string): string => (name === '*' ? name : table.resolveName(name));
  return new IncludesExcludes(
    includes?.map(resolve).filter((name) => name !== ''),
    excludes?.filter((name) => name !== '*' && name !== '').map(resolve),
  );
}

/** What is wrong with a pair of lists, in Velero's words and order; empty where nothing is (spec restore-pipeline.md §3). */
export function validateIncludesExcludes(
  includes: readonly string[] | undefined,
  excludes: readonly string[] | undefined,
): string[] {
  const included = sortedSet(includes ?? []);
  const excluded = sortedSet(excludes ?? []);
  const errors: string[] = [];
  if (included.length > 1 && included.includes('*')) {
    errors.push("includes list must either contain '*' only, or a non-empty list of items");
  }
  if (excluded.includes('*')) errors.push("excludes list cannot contain '*'");
  for (const item of excluded.filter((one) => included.includes(one))) {
    errors.push(`excludes list cannot contain an item in the includes list: ${item}`);
  }
  return errors;
}

function sortedSet(list: readonly string[]): string[] {
  return [...new Set(list)].sort();
}

function matcher(patterns: readonly string[]): (text: string) => boolean {
  const matchers = patterns.map(compileOrMatchNothing);
  return (text) => matchers.some((matches) => matches(text));
}

function compileOrMatchNothing(pattern: string): (text: string) => boolean {
  try {
    return compileGlob(pattern);
  } catch (error) {
    if (error instanceof GlobSyntaxError) return () => false;
    throw error;
  }
}
