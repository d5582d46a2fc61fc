import { isObject, type Json } from '../json.ts';
import { parseJson } from '../jsonText.ts';
import { renderGoJson, sortedRecord } from './goJson.ts';
import type { Message, MessageScope } from './outcome.ts';

/** All warnings, or all errors, of a restore: one side of Velero's results file. Empty parts are left out. */
export interface Result {
  readonly velero?: readonly string[] | undefined;
  readonly cluster?: readonly string[] | undefined;
  readonly namespaces?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface Results {
  readonly warnings: Result;
  readonly errors: Result;
}

export class InvalidResultsFileError extends Error {
  readonly type = 'InvalidResultsFile';
  constructor(problem: string) {
    super(`results file: ${problem}`);
    this.name = 'InvalidResultsFileError';
  }
}

/** Collects one side of the results in the order given. */
class ResultBuilder {
  private readonly velero: string[] = [];
  private readonly cluster: string[] = [];
  private readonly namespaces = new Map<string, string[]>();

  add(scope: MessageScope, text: string): void {
    this.listOf(scope).push(text);
  }

  merge(result: Result): void {
    for (const text of result.velero ?? []) this.velero.push(text);
    for (const text of result.cluster ?? []) this.cluster.push(text);
    for (const [namespace, texts] of Object.entries(result.namespaces ?? {})) {
      const list = this.listOf({ namespace });
      for (const text of texts) list.push(text);
    }
  }

  build(): Result {
    const namespaces = [...this.namespaces].filter(([, texts]) => texts.length > 0);
    return {
      ...(this.velero.length > 0 && { velero: [...this.velero] }),
      ...(this.cluster.length > 0 && { cluster: [...this.cluster] }),
      ...(namespaces.length > 0 && {
        namespaces: Object.fromEntries(namespaces.map(([key, list]) => [key, [...list]])),
      }),
    };
  }

  private listOf(scope: MessageScope): string[] {
    if (scope === 'velero') return this.velero;
    if (scope === 'cluster' || scope.namespace === '') return this.cluster;
    const known = this.namespaces.get(scope.namespace);
    if (known !== undefined) return known;
    const list: string[] = [];
    this.namespaces.set(scope.namespace, list);
    return list;
  }
}

/**
 * Collects messages, in the order given, into Velero's results (spec backup-format.md §3.2, R-240…R-245). A message of the
 * empty namespace belongs to the cluster.
 */
export class ResultsBuilder {
  private readonly warnings = new ResultBuilder();
  private readonly errors = new ResultBuilder();

  add(message: Message): void {
    (message.level === 'error' ? this.errors : this.warnings).add(message.scope, message.text);
  }

  /** Appends results from elsewhere, e.g. those of an earlier step. */
  merge(results: Results): void {
    this.warnings.merge(results.warnings);
    this.errors.merge(results.errors);
  }

  build(): Results {
    return { warnings: this.warnings.build(), errors: this.errors.build() };
  }
}

/** The messages of `first`, then those of `second`, per scope and namespace. */
export function mergeResult(first: Result, second: Result): Result {
  const builder = new ResultBuilder();
  builder.merge(first);
  builder.merge(second);
  return builder.build();
}

/** How many messages there are: what `status.warnings` and `status.errors` count. */
export function countResult(result: Result): number {
  const lists = [result.velero ?? [], result.cluster ?? [], ...Object.values(result.namespaces ?? {})];
  return lists.reduce((count, list) => count + list.length, 0);
}

/** True only where all three parts are empty. */
export function isEmptyResult(result: Result): boolean {
  return countResult(result) === 0;
}

/** Text of `restore-<name>-results.gz` before compression, byte for byte as Velero writes it. */
export function renderResultsFile(warnings: Result, errors: Result): string {
  return renderGoJson({ errors: withSortedNamespaces(errors), warnings: withSortedNamespaces(warnings) });
}

/** Parts in the order of Velero's Go struct. */
function withSortedNamespaces(result: Result): Result {
  const { velero, cluster, namespaces } = mergeResult(result, {});
  return {
    ...(velero !== undefined && { velero }),
    ...(cluster !== undefined && { cluster }),
    ...(namespaces !== undefined && { namespaces: sortedRecord(namespaces) }),
  };
}

/**
 * Reads the text of a results file. As in Velero empty text has no messages, and parts that are missing or `null` are empty.
 * @throws InvalidResultsFileError where it is no results file.
 */
export function parseResultsFile(text: string): Results {
  if (text.trim() === '') return { warnings: {}, errors: {} };
  const file = parseFile(text);
  if (!isObject(file)) throw new InvalidResultsFileError(`found ${kindOf(file)}, expected a map`);
  return { warnings: readResult('warnings', file['warnings']), errors: readResult('errors', file['errors']) };
}

function parseFile(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new InvalidResultsFileError('found text that is not JSON');
  }
}

function readResult(field: string, value: Json | undefined): Result {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new InvalidResultsFileError(`${field}: found ${kindOf(value)}, expected a map`);
  const namespaces = value['namespaces'] ?? {};
  if (!isObject(namespaces)) {
    throw new InvalidResultsFileError(`${field}.namespaces: found ${kindOf(namespaces)}, expected a map`);
  }
  const lists = Object.entries(namespaces).map(([namespace, list]) => {
    return [namespace, readTexts(`${field}.namespaces.${namespace}`, list)] as const;
  });
  return mergeResult(
    {
      velero: readTexts(`${field}.velero`, value['velero']),
      cluster: readTexts(`${field}.cluster`, value['cluster']),
      namespaces: Object.fromEntries(lists),
    },
    {},
  );
}

function readTexts(field: string, value: Json | undefined): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new InvalidResultsFileError(`${field}: found ${kindOf(value)}, expected a list`);
  return value.map((text, index) => {
    if (typeof text === 'string') return text;
    throw new InvalidResultsFileError(`${field}.${index}: found ${kindOf(text)}, expected a string`);
  });
}

/** Messages of others are never shown in ours. */
function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}
