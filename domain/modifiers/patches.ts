import { applyJsonPatch, JSON_PATCH_OPERATIONS, JsonPatchError, type JsonPatchOperation } from '../go/jsonPatch.ts';
import { parseSigsYaml, SigsYamlError } from '../go/sigsYaml.ts';
import { applyStrategicMergePatch, StrategicMergeError } from '../go/strategicMerge.ts';
import { applyMergePatch } from '../item/mergePatch.ts';
import { getString, isObject, type Json, type JsonObject } from '../json.ts';
import { ModifierError } from './modifierError.ts';
import { patchValue } from './patchValue.ts';
import type { ModifierPatch, ModifierRule } from './resourceModifiers.schema.ts';

/** What a rule does to an item. @throws ModifierError with Velero's text; the item is then left as it was. */
export type RulePatch = (item: JsonObject) => JsonObject;

export interface PatchProblem {
  /** E.g. `patches[1].operation`. */
  readonly field: string;
  readonly text: string;
}

/** Compiles the patches of a rule (spec restore-pipeline.md §16, R-366… … …R-417). */
export function compilePatches(rule: ModifierRule): RulePatch | PatchProblem[] {
  const kinds = [rule.patches, rule.mergePatches, rule.strategicPatches].filter(({ length }) => length > 0);
  if (kinds.length > 1) {
    return [{ field: '', text: 'only one of patches, mergePatches, strategicPatches can be specified' }];
  }
  if (rule.patches.length > 0) return jsonPatch(rule.patches);
  if (rule.mergePatches.length > 0) return mergePatches(rule.mergePatches);
  if (rule.strategicPatches.length > 0) return strategicPatches(rule.strategicPatches);
  return () => {
    throw new ModifierError('ModifierFailed', 'no patch data found');
  };
}

function jsonPatch(patches: readonly ModifierPatch[]): RulePatch | PatchProblem[] {
  const problems: PatchProblem[] = [];
  const operations: JsonPatchOperation[] = [];
  for (const [index, patch] of patches.entries()) {
    const operation = jsonPatchOperation(patch);
    if ('text' in operation) problems.push({ ...operation, field: `patches[${index}].${operation.field}` });
    else operations.push(operation);
  }
  return problems.length > 0 ? problems : (item) => applyOperations(item, operations);
}

function jsonPatchOperation(patch: ModifierPatch): JsonPatchOperation | PatchProblem {
  const { operation = '', path = '', from = '', value = '' } = patch;
  if (operation === '') return { field: 'operation', text: 'operation cannot be empty' };
  const known = JSON_PATCH_OPERATIONS.find((name) => name === operation.toLowerCase());
  if (known === undefined) return { field: 'operation', text: `unsupported operation ${operation}` };
  if (path === '') return { field: 'path', text: 'path cannot be empty' };
  if ((known === 'move' || known === 'copy') && !from.startsWith('/')) {
    return { field: 'from', text: `found ${JSON.stringify(from)}, expected a path such as /metadata/labels/a` };
  }
  try {
    const { text, parsed } = patchValue(value);
    return { operation: known, path, from, value: text, parsed };
  } catch (error) {
    if (error instanceof ModifierError) return { field: 'value', text: error.message };
    throw error;
  }
}

/** A `test` that does not hold means that nothing of the rule is done, and that is no error. */
function applyOperations(item: JsonObject, operations: readonly JsonPatchOperation[]): JsonObject {
  try {
    return checked(applyJsonPatch(item, operations));
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    if (error.fault === 'testFailed') return item;
    throw failed(`error in applying JSON Patch ${error.message}`);
  }
}

function mergePatches(patches: ModifierRule['mergePatches']): RulePatch | PatchProblem[] {
  const { documents, problems } = readDocuments('mergePatches', patches);
  if (problems.length > 0) return problems;
  return (item) => checked(documents.reduce<Json>((merged, patch) => applyMergePatch(merged, patch), item));
}

function strategicPatches(patches: ModifierRule['strategicPatches']): RulePatch | PatchProblem[] {
  const { documents, problems } = readDocuments('strategicPatches', patches);
  for (const [index, patch] of documents.entries()) {
    if (!isObject(patch) && patch !== null)
      problems.push({ field: `strategicPatches[${index}].patchData`, text: 'expected a map' });
  }
  if (problems.length > 0) return problems;
  return (item) => {
    try {
      return checked(documents.filter(isObject).reduce(applyStrategicMergePatch, item));
    } catch (error) {
      if (!(error instanceof StrategicMergeError)) throw error;
      throw failed(
        error.fault === 'unknownKind' ? error.message : `error in applying Strategic Patch ${error.message}`,
      );
    }
  };
}

function readDocuments(
  field: string,
  patches: ModifierRule['mergePatches'],
): { readonly documents: Json[]; readonly problems: PatchProblem[] } {
  const documents: Json[] = [];
  const problems: PatchProblem[] = [];
  for (const [index, { patchData = '' }] of patches.entries()) {
    try {
      documents.push(parseSigsYaml(patchData));
    } catch (error) {
      if (!(error instanceof SigsYamlError)) throw error;
      problems.push({
        field: `${field}[${index}].patchData`,
        text: `error in converting YAML to JSON ${error.message}`,
      });
    }
  }
  return { documents, problems };
}

/** What is left must still be an object that can be created. */
function checked(item: Json): JsonObject {
  if (isObject(item) && (getString(item, ['kind']) ?? '') !== '') return item;
  throw failed("error in unmarshalling modified object Object 'Kind' is missing");
}

function failed(message: string): ModifierError {
  return new ModifierError('ModifierFailed', `error in applying patch ${message}`);
}
