import { describeSchemaIssues } from '../backup/schemaError.ts';
import { parseSigsYaml, SigsYamlError } from '../go/sigsYaml.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { compileConditions, type RuleMatcher } from './conditions.ts';
import { ModifierError } from './modifierError.ts';
import { compilePatches, type RulePatch } from './patches.ts';
import {
  knownModifierFields,
  type ModifierDocument,
  type ModifierRule,
  resourceModifiersSchema,
} from './resourceModifiers.schema.ts';

interface CompiledRule {
  readonly matches: RuleMatcher;
  readonly patch: RulePatch;
}

export interface ModifiedItem {
  readonly item: JsonObject;
  /** Velero's texts of what could not be done; the item is restored all the same. */
  readonly errors: readonly string[];
}

/** The rules of one resource modifier ConfigMap, ready to be applied (spec restore-pipeline.md §16). */
export class ResourceModifiers {
  private readonly rules: readonly CompiledRule[];

  constructor(rules: readonly CompiledRule[]) {
    this.rules = rules;
  }

  /**
   * Applies every rule whose conditions hold, in order. Conditions see the item as it was before the first rule, patches see what earlier rules left (R-369,
   * R-370). Never throws for a fault of item or rule.
   * @param item with its original namespace.
   * @param groupResource what the item was in the backup.
   */
  apply(item: JsonObject, groupResource: string): ModifiedItem {
    let modified = item;
    const errors: string[] = [];
    for (const { matches, patch } of this.rules) {
      try {
        if (matches(item, groupResource)) modified = patch(modified);
      } catch (error) {
        if (!(error instanceof ModifierError)) throw error;
        errors.push(error.message);
      }
    }
    return { item: modified, errors };
  }
}

export interface ReadModifiers {
  readonly modifiers: ResourceModifiers;
  /** What will do something else than its author may think. */
  readonly warnings: readonly string[];
}

/**
 * Reads the YAML of a resource modifier ConfigMap and compiles all that can be compiled before the first item: an expression that cannot be
 * read is an error here, where Velero has one for each item that it meets.
 * @throws ModifierError `ModifiersUnreadable` for text that is no such document (wrong YAML, unknown field, wrong type) and `ModifiersInvalid` for one that
 * makes no sense; one line for each problem, each with the field that has it.
 */
export function readResourceModifiers(text: string): ReadModifiers {
  const { version = '', resourceModifierRules } = readDocument(text);
  const problems: string[] = [];
  if (version.toLowerCase() !== 'v1') {
    problems.push(`unsupported resource modifier version ${version} (version: expected v1)`);
  }
  if (resourceModifierRules.length === 0) {
    problems.push('resource modifier rules cannot be empty (resourceModifierRules: expected at least one)');
  }
  const rules: CompiledRule[] = [];
  const warnings: string[] = [];
  for (const [index, rule] of resourceModifierRules.entries()) {
    const at = `resourceModifierRules[${index}]`;
    const compiled = compileRule(at, rule);
    if (Array.isArray(compiled)) problems.push(...compiled);
    else rules.push(compiled);
    if (!hasPatch(rule)) warnings.push(`${at} has no patch: every item that it is for will have an error`);
  }
  if (problems.length > 0) throw new ModifierError('ModifiersInvalid', problems.join('\n'));
  return { modifiers: new ResourceModifiers(rules), warnings };
}

function readDocument(text: string): ModifierDocument {
  const prefix = 'failed to decode yaml data into resource modifiers, err: ';
  let document: Json;
  try {
    document = withoutNulls(parseSigsYaml(text) ?? {});
  } catch (error) {
    if (!(error instanceof SigsYamlError)) throw error;
    throw new ModifierError('ModifiersUnreadable', `${prefix}error converting YAML to JSON: ${error.message}`);
  }
  const checked = resourceModifiersSchema.safeParse(document);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.flatMap((issue) =>
    describeSchemaIssues(document, [issue], `one of ${knownModifierFields(issue.path).join(', ')}`),
  );
  throw new ModifierError('ModifiersUnreadable', problems.map((problem) => prefix + problem).join('\n'));
}

function compileRule(at: string, rule: ModifierRule): CompiledRule | string[] {
  const matches = compileConditions(rule.conditions ?? { namespaces: [], matches: [] });
  const patch = compilePatches(rule);
  if (!Array.isArray(matches) && !Array.isArray(patch)) return { matches, patch };
  const problems = [...(Array.isArray(matches) ? matches : []), ...(Array.isArray(patch) ? patch : [])];
  return problems.map(({ field, text }) => `${text} (${field === '' ? at : `${at}.${field}`})`);
}

function hasPatch(rule: ModifierRule): boolean {
  return [rule.patches, rule.mergePatches, rule.strategicPatches].some(({ length }) => length > 0);
}

/** As in Go, null counts as missing; inside of patches it never gets here, they are texts. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== null)
      .map(([key, entry]) => [key, withoutNulls(entry)]),
  );
}
