import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { applyJsonPatch, JsonPatchError, type JsonPatchOperation } from '../../../../domain/go/jsonPatch.ts';
import { applyStrategicMergePatch, StrategicMergeError } from '../../../../domain/go/strategicMerge.ts';
import { applyMergePatch } from '../../../../domain/item/mergePatch.ts';
import { getArray, getString, type Json, type JsonObject } from '../../../../domain/json.ts';
import { parseJson, renderJson } from '../../../../domain/jsonText.ts';
import { frozen } from '../support/frozen.ts';

/** Made by tools/go-vectors: what evanphx/json-patch v5.9.11 and apimachinery's strategicpatch answer. */
function vectors<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8')) as T[];
}

interface JsonPatchVector {
  readonly document: string;
  readonly patch: string;
  readonly result?: string;
  readonly error?: string;
  readonly fault?: string;
}

/** The value's text, as it stands in the patch. */
function operations(patch: string): JsonPatchOperation[] {
  const texts = [...patch.matchAll(/"value":(.*?)\}(?=,\{"op"|\]$)/g)].map(([, text]) => text ?? '');
  return (getArray({ patch: parseJson(patch) }, ['patch']) ?? []).map((operation) => {
    const text = (operation as JsonObject)['value'] === undefined ? '""' : (texts.shift() ?? '');
    return {
      operation: getString(operation, ['op']) as JsonPatchOperation['operation'],
      path: getString(operation, ['path']) ?? '',
      from: getString(operation, ['from']) ?? '',
      value: text,
      parsed: parseJson(text),
    };
  });
}

describe('applyJsonPatch', () => {
  it.each(vectors<JsonPatchVector>('jsonPatch'))(
    'answers as the Go original: $patch',
    ({ document, patch, ...expected }) => {
      const apply = (): Json => applyJsonPatch(frozen(parseJson(document) as JsonObject), operations(patch));

      if (expected.result === undefined) {
        let thrown: unknown;
        try {
          apply();
        } catch (error) {
          thrown = error;
        }
        expect(thrown).toBeInstanceOf(JsonPatchError);
        expect(thrown).toMatchObject({ message: expected.error, fault: expected.fault });
        return;
      }
      expect(apply()).toEqual(parseJson(expected.result));
    },
  );
});

interface MergeVector {
  readonly original: string;
  readonly patch: string;
  readonly result?: string;
  readonly error?: string;
}

describe('applyMergePatch', () => {
  it.each(vectors<MergeVector>('mergePatch'))(
    'answers as the Go original: $original with $patch',
    ({ original, patch, result }) => {
      const merged = applyMergePatch(frozen(parseJson(original) as JsonObject), frozen(parseJson(patch) as JsonObject));

      expect(renderSorted(merged)).toBe(renderSorted(parseJson(result ?? '')));
    },
  );

  it('R-389 keeps a target as it is where a null has nothing to remove', () => {
    expect(applyMergePatch({ metadata: { labels: { a: '1' } } }, { metadata: { labels: { b: null } } })).toEqual({
      metadata: { labels: { a: '1' } },
    });
  });

  it('sets a key called __proto__ as any other', () => {
    const merged = applyMergePatch({}, parseJson('{"__proto__":{"x":1}}'));

    expect(renderJson(merged)).toBe('{"__proto__":{"x":1}}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

function renderSorted(value: Json): string {
  return renderJson(sorted(value));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}

describe('applyStrategicMergePatch', () => {
  it.each(vectors<MergeVector & { readonly kind: string }>('strategicMerge'))(
    'answers as the Go original: $kind $patch',
    ({ kind: versionAndKind, original, patch, result }) => {
      const [apiVersion = '', kind = ''] = versionAndKind.split(' ');
      const object = frozen({ apiVersion, kind, ...(parseJson(original) as JsonObject) });
      const apply = (): JsonObject => applyStrategicMergePatch(object, frozen(parseJson(patch) as JsonObject));

      if (result === undefined) {
        expect(apply).toThrow(StrategicMergeError);
        return;
      }
      const replacesAll = patch.startsWith('{"$patch"');
      expect(apply()).toEqual({ ...(replacesAll ? {} : { apiVersion, kind }), ...(parseJson(result) as JsonObject) });
    },
  );

  it('R-405 refuses a kind without merge keys and says what to use instead', () => {
    expect(() => applyStrategicMergePatch({ apiVersion: 'example.com/v1', kind: 'Widget' }, {})).toThrow(
      'no kind "Widget" is registered for version "example.com/v1": strategic merge patches are for built-in kinds, use mergePatches',
    );
  });

  it.each(['velero.io/v1 Restore', 'snapshot.storage.k8s.io/v1 VolumeSnapshot'])(
    'merges finalizers of %s and replaces its lists',
    (versionAndKind) => {
      const [apiVersion = '', kind = ''] = versionAndKind.split(' ');

      expect(
        applyStrategicMergePatch(
          { apiVersion, kind, metadata: { finalizers: ['a'] }, spec: { list: ['a'] } },
          { metadata: { finalizers: ['b'] }, spec: { list: ['b'], more: 1 } },
        ),
      ).toEqual({ apiVersion, kind, metadata: { finalizers: ['b', 'a'] }, spec: { list: ['b'], more: 1 } });
    },
  );
});
