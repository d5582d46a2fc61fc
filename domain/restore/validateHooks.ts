import { getArray, getIn, getString, isObject, type Json, type JsonObject } from '../json.ts';
import { LabelSelectorError, labelSelectorMatcher } from '../kubernetes/labelSelector.ts';

const NO_CONTAINER = "invalid InitContainer in restore hook, it doesn't have Command, Name or Image field";

/**
 * Rules 6 and 7 of spec restore-pipeline.md §3 (hooks.md §5): every hook's label selector can be read, otherwise that alone is told;
 * every init container has name, image and command. Texts are Velero's where Velero's do not come from Go's libraries.
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
    return initContainersOf(resource)
      .map(containerProblem)
      .filter((problem) => problem !== undefined)
      .map((problem) => `invalid init container in restore hook ${name}: ${problem}`);
  });
}

/** Whether the Restore itself asks for hooks; pods may ask for more by their annotations. */
export function hasHooks(hooks: JsonObject | undefined): boolean {
  return (getArray(hooks, ['resources']) ?? []).some(
    (resource) => (getArray(resource, ['postHooks']) ?? []).length > 0,
  );
}

function resourceProblem(path: string, resource: Json): string | undefined {
  if (!isObject(resource)) return `${path}: ${expected('a map', resource)}`;
  const postHooks = resource['postHooks'] ?? [];
  if (!Array.isArray(postHooks)) return `${path}.postHooks: ${expected('a list', postHooks)}`;
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

function containerProblem(container: Json): string | undefined {
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
