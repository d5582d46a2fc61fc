import { parseGoDuration } from '../go/duration.ts';
import { getArray, getIn, getObject, getString, isObject, type Json, type JsonObject } from '../json.ts';
import { type LabelMatcher, labelSelectorMatcher } from '../kubernetes/labelSelector.ts';
import { IncludesExcludes } from '../selection/includesExcludes.ts';
import { DEFAULT_EXEC_TIMEOUT_MS, type ExecHook } from './hook.ts';

/** A pod as hook selectors see it (spec hooks.md §4). */
export interface SelectablePod {
  /** Target namespace. */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** An entry of `spec.hooks.resources`. */
export interface ResourceHook {
  readonly name: string;
  appliesTo(pod: SelectablePod): boolean;
  /** In order; `container` is empty where the hook names none. */
  readonly execs: readonly ExecHook[];
  /** Init containers as written, in order. */
  readonly initContainers: readonly Json[];
}

/**
 * Reads `spec.hooks` (spec hooks.md §1) that `validateHooks` has accepted. Lists of resources are ignored, as in Velero: hooks are for
 * pods only.
 */
export function readSpecHooks(hooks: JsonObject | undefined): ResourceHook[] {
  return (getArray(hooks, ['resources']) ?? []).map(readResourceHook);
}

function readResourceHook(resource: Json): ResourceHook {
  const name = getString(resource, ['name']) ?? '';
  const namespaces = new IncludesExcludes(texts(resource, 'includedNamespaces'), texts(resource, 'excludedNamespaces'));
  const matches = selector(resource);
  const postHooks = getArray(resource, ['postHooks']) ?? [];
  return {
    name,
    appliesTo: ({ namespace, labels }) => namespaces.shouldInclude(namespace) && matches(labels),
    execs: postHooks.flatMap((hook, index) => readExec(name, index, getObject(hook, ['exec'])) ?? []),
    initContainers: postHooks.flatMap((hook) => getArray(hook, ['init', 'initContainers']) ?? []),
  };
}

function selector(resource: Json): LabelMatcher {
  return labelSelectorMatcher(getObject(resource, ['labelSelector']) ?? {});
}

function readExec(name: string, index: number, exec: JsonObject | undefined): ExecHook | undefined {
  if (exec === undefined) return undefined;
  return {
    name,
    source: 'spec',
    index,
    container: getString(exec, ['container']) ?? '',
    command: texts(exec, 'command'),
    onError: getString(exec, ['onError']) === 'Fail' ? 'Fail' : 'Continue',
    execTimeoutMs: duration(exec, 'execTimeout') ?? DEFAULT_EXEC_TIMEOUT_MS,
    waitTimeoutMs: duration(exec, 'waitTimeout'),
    waitForReady: getIn(exec, ['waitForReady']) === true,
  };
}

/** Milliseconds; zero is Velero's way to leave it out. */
function duration(exec: JsonObject, key: string): number | undefined {
  const text = getString(exec, [key]) ?? '';
  const milliseconds = text === '' ? 0 : parseGoDuration(text);
  return milliseconds > 0 ? milliseconds : undefined;
}

function texts(object: Json, key: string): string[] {
  if (!isObject(object)) return [];
  return (getArray(object, [key]) ?? []).filter((entry) => typeof entry === 'string');
}
