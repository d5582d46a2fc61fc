import { RE2JS, RE2JSSyntaxException } from 're2js';
import { compileGlob, GlobSyntaxError } from '../go/glob.ts';
import { applyJsonPatch, JsonPatchError, type JsonPatchOperation } from '../go/jsonPatch.ts';
import { getString, getStringMap, type JsonObject } from '../json.ts';
import { LabelSelectorError, labelSelectorMatcher } from '../kubernetes/labelSelector.ts';
import { IncludesExcludes } from '../selection/includesExcludes.ts';
import { ModifierError } from './modifierError.ts';
import { patchValue } from './patchValue.ts';
import type { ModifierConditions } from './resourceModifiers.schema.ts';

/** Whether a rule is for an item, as the item was before any modifier. @throws ModifierError for a condition that cannot be evaluated. */
export type RuleMatcher = (item: JsonObject, groupResource: string) => boolean;

/** A problem of a rule's conditions, and the field that has it, e.g. `conditions.groupResource`. */
export interface ConditionProblem {
  readonly field: string;
  readonly text: string;
}

interface Part {
  readonly matcher: RuleMatcher;
}

type Compiled = Part | ConditionProblem;

/**
 * Compiles the conditions of a rule (spec restore-pipeline.md §16, R-373… …R-394). All must hold: `groupResource` is a glob in which `.` is a
 * separator; namespaces are names or globs and count only for namespaced items, by their original namespace; the name's regular expression (RE2) is
 * not anchored; `matches` are JSON patch tests, of which a failing one or a missing path is no match.
 */
export function compileConditions(conditions: ModifierConditions): RuleMatcher | ConditionProblem[] {
  const parts: Compiled[] = [
    namespaces(conditions.namespaces),
    groupResource(conditions.groupResource ?? ''),
    nameRegex(conditions.resourceNameRegex ?? ''),
    labels(conditions.labelSelector),
    matches(conditions.matches),
  ];
  const problems = parts.filter((part) => 'field' in part);
  if (problems.length > 0) return problems;
  const matchers = parts.flatMap((part) => ('matcher' in part ? [part.matcher] : []));
  return (item, resource) => matchers.every((matcher) => matcher(item, resource));
}

function namespaces(names: readonly string[]): Compiled {
  try {
    for (const name of names) compileGlob(name);
  } catch (error) {
    if (error instanceof GlobSyntaxError) return { field: 'conditions.namespaces', text: error.message };
    throw error;
  }
  const included = new IncludesExcludes(names, []);
  return {
    matcher: (item) => {
      const namespace = getString(item, ['metadata', 'namespace']) ?? '';
      return namespace === '' || included.shouldInclude(namespace);
    },
  };
}

function groupResource(pattern: string): Compiled {
  if (pattern === '') return { field: 'conditions.groupResource', text: 'groupkResource cannot be empty' };
  try {
    const matches = compileGlob(pattern, '.');
    return { matcher: (_, resource) => matches(resource) };
  } catch (error) {
    if (error instanceof GlobSyntaxError) return { field: 'conditions.groupResource', text: error.message };
    throw error;
  }
}

function nameRegex(text: string): Compiled {
  if (text === '') return { matcher: () => true };
  try {
    const regex = RE2JS.compile(text);
    return { matcher: (item) => regex.matcher(getString(item, ['metadata', 'name']) ?? '').find() };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { field: 'conditions.resourceNameRegex', text: `error in matching regex ${error.message}` };
  }
}

function labels(selector: ModifierConditions['labelSelector']): Compiled {
  if (selector === undefined) return { matcher: () => true };
  try {
    const matches = labelSelectorMatcher(selector);
    return { matcher: (item) => matches(getStringMap(item, ['metadata', 'labels'])) };
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return { field: 'conditions.labelSelector', text: `error in creating label selector ${error.message}` };
  }
}

function matches(rules: ModifierConditions['matches']): Compiled {
  const tests: JsonPatchOperation[] = [];
  for (const [index, { path = '', value = '' }] of rules.entries()) {
    const field = `conditions.matches[${index}]`;
    if (path === '') return { field: `${field}.path`, text: 'path is required for match rule' };
    try {
      const { text, parsed } = patchValue(value);
      tests.push({ operation: 'test', path, from: '', value: text, parsed });
    } catch (error) {
      if (error instanceof ModifierError) return { field: `${field}.value`, text: error.message };
      throw error;
    }
  }
  if (tests.length === 0) return { matcher: () => true };
  return { matcher: (item) => passes(item, tests) };
}

function passes(item: JsonObject, tests: readonly JsonPatchOperation[]): boolean {
  try {
    applyJsonPatch(item, tests);
    return true;
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    if (error.fault !== 'invalid') return false;
    throw new ModifierError('ModifierFailed', error.message);
  }
}
