import { parseGoDuration } from '../go/duration.ts';
import { getArray, getIn, getString, isObject, type Json, type JsonObject } from '../json.ts';
import { LabelSelectorError, labelSelectorMatcher } from '../kubernetes/labelSelector.ts';

/** Velero's text for a container that lacks one of the three. */
export const NO_CONTAINER = "invalid InitContainer in restore hook, it doesn't have Command, Name or Image field";

/**
 * Rules 6 and 7 of spec restore-pipeline.md §3 (hooks.md §5): every hook's label selector can be read, otherwise that alone is told;
 * every init container has name, image and command, every exec hook is what Velero's CRD asks for. Texts are Velero's where Velero's do not come from Go's libraries.
 * Nothing of a container is ever shown: commands and environments may hold secrets.
 */
export function validateHooks(hooks: JsonObject | undefined): string[] {
  const resources = hooks?.['resources'] ?? [];
  if (!Array.isArray(resources)) return [`invalid restore hooks: resources: ${expected('a list', resources)}`];
  for (const [index, resource] of resources.entries()) {
    const problem = resourceProblem(`resources.${index}`, resource);
    if (problem !== undefined) return [`invalid restore hooks: ${problem}`];
  }
  return resources.flatMap((resource) => {
    const name = JSON.stringify(getString(resource, ['name']) ?? '');
    const containers = initContainersOf(resource).map(containerProblem).filter(isProblem);
    const execs = (getArray(resource, ['postHooks']) ?? []).flatMap(execProblems);
    return [
      ...containers.map((problem) => `invalid init container in restore hook ${name}: ${problem}`),
      ...execs.map((problem) => `invalid exec hook in restore hook ${name}: ${problem}`),
    ];
  });
}

function isProblem(problem: string | undefined): problem is string {
  return problem !== undefined;
}

function resourceProblem(path: string, resource: Json): string | undefined {
  if (!isObject(resource)) return `${path}: ${expected('a map', resource)}`;
  const name = resource['name'] ?? '';
  if (!isText(name)) return `${path}.name: ${expected('a string', name)}`;
  for (const list of ['includedNamespaces', 'excludedNamespaces', 'includedResources', 'excludedResources']) {
    const value = resource[list] ?? [];
    if (!isTextList(value)) return `${path}.${list}: ${expected('a list of strings', value)}`;
  }
  const postHooks = resource['postHooks'] ?? [];
  if (!Array.isArray(postHooks)) return `${path}.postHooks: ${expected('a list', postHooks)}`;
  const wrong = postHooks.findIndex((hook) => !isObject(hook));
  if (wrong >= 0) return `${path}.postHooks.${wrong}: ${expected('a map', postHooks[wrong] ?? null)}`;
  const selector = resource['labelSelector'] ?? {};
  if (!isObject(selector)) return `${path}.labelSelector: ${expected('a map', selector)}`;
  return selectorProblem(`${path}.labelSelector`, selector);
}

function selectorProblem(path: string, selector: JsonObject): string | undefined {
  const shape = shapeProblem(selector);
  if (shape !== undefined) return `${path}.${shape}`;
  try {
    labelSelectorMatcher(selector);
    return undefined;
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    if (error.field.endsWith('.operator'))
      return `${JSON.stringify(error.value)} is not a valid label selector operator`;
    return error.message;
  }
}

/** What a label selector that was kept as written has in the wrong type. */
function shapeProblem(selector: JsonObject): string | undefined {
  const labels = selector['matchLabels'] ?? {};
  if (!isObject(labels) || !Object.values(labels).every(isText)) return 'matchLabels: expected a map of strings';
  const expressions = selector['matchExpressions'] ?? [];
  const isExpression = (one: Json): boolean => {
    return isObject(one) && isText(one['key']) && isText(one['operator']) && isTextList(one['values'] ?? []);
  };
  if (Array.isArray(expressions) && expressions.every(isExpression)) return undefined;
  return 'matchExpressions: expected a list of maps with key, operator and a list of values';
}

function initContainersOf(resource: Json): Json[] {
  const postHooks = getArray(resource, ['postHooks']) ?? [];
  return postHooks.flatMap((hook) => {
    const containers = getIn(hook, ['init', 'initContainers']) ?? [];
    return Array.isArray(containers) ? containers : [containers];
  });
}

const ON_ERROR: readonly Json[] = ['', 'Continue', 'Fail'];

/** Of a command only its type is told: it may hold secrets. */
function execProblems(postHook: Json, index: number): string[] {
  const exec = getIn(postHook, ['exec']) ?? null;
  const path = `postHooks.${index}.exec`;
  if (exec === null) return [];
  if (!isObject(exec)) return [`${path}: ${expected('a map', exec)}`];
  const { container = '', command = null, onError = '', waitForReady = false } = exec;
  const problems: string[] = [];
  if (!isText(container)) problems.push(`${path}.container: ${expected('a string', container)}`);
  if (!isTextList(command)) problems.push(`${path}.command: ${expected('a list of strings', command)}`);
  else if (!isNotEmpty(command))
    problems.push(`${path}.command: found an empty list, expected a program and its arguments`);
  if (!ON_ERROR.includes(onError)) {
    const found = isText(onError)
      ? `found ${JSON.stringify(onError)}, expected Continue or Fail`
      : expected('Continue or Fail', onError);
    problems.push(`${path}.onError: ${found}`);
  }
  if (typeof waitForReady !== 'boolean' && waitForReady !== null) {
    problems.push(`${path}.waitForReady: ${expected('true or false', waitForReady)}`);
  }
  const durations = ['execTimeout', 'waitTimeout'].map((field) =>
    durationProblem(`${path}.${field}`, exec[field] ?? ''),
  );
  return [...problems, ...durations.filter(isProblem)];
}

/** Velero takes a negative wait for one that is over, and a negative execTimeout for none: both are more likely mistakes (HX-09). */
function durationProblem(path: string, value: Json): string | undefined {
  if (value === '') return undefined;
  if (!isText(value)) return `${path}: ${expected('a duration such as 30s', value)}`;
  const found = `found ${JSON.stringify(value)}, expected`;
  try {
    return parseGoDuration(value) < 0 ? `${path}: ${found} a duration of at least 0` : undefined;
  } catch {
    return `${path}: ${found} a duration such as 30s or 1m30s`;
  }
}

/** What keeps a raw container of an init hook from being one; undefined where nothing does. */
export function containerProblem(container: Json): string | undefined {
  if (!isObject(container)) return expected('a map', container);
  const { name = '', image = '', command = [] } = container;
  for (const [field, value] of Object.entries({ name, image })) {
    if (value !== null && !isText(value)) return `${field}: ${expected('a string', value)}`;
  }
  if (command !== null && !isTextList(command)) return `command: ${expected('a list of strings', command)}`;
  const isComplete = isNotEmpty(name) && isNotEmpty(image) && isNotEmpty(command);
  return isComplete ? undefined : NO_CONTAINER;
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string';
}

function isTextList(value: Json): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isNotEmpty(value: Json): boolean {
  return (typeof value === 'string' || Array.isArray(value)) && value.length > 0;
}

function expected(what: string, value: Json): string {
  if (value === null) return `found null, expected ${what}`;
  if (Array.isArray(value)) return `found a list, expected ${what}`;
  return `found ${typeof value === 'object' ? 'a map' : `a ${typeof value}`}, expected ${what}`;
}
