import { parse as parseLossless } from 'lossless-json';
import { isObject, type Json, type JsonObject, withoutKeys } from '../json.ts';
import { renderJson } from '../jsonText.ts';
import { addIndex, GoIndexError, readIndex } from './jsonPatchIndex.ts';

export const JSON_PATCH_OPERATIONS = ['add', 'remove', 'replace', 'test', 'move', 'copy'] as const;

/** One operation of RFC 6902. */
export interface JsonPatchOperation {
  readonly operation: (typeof JSON_PATCH_OPERATIONS)[number];
  readonly path: string;
  readonly from: string;
  /** JSON text: `test` compares numbers as they are written. */
  readonly value: string;
  /** What the text means, as {@link import('../jsonText.ts').parseJson} reads it. */
  readonly parsed: Json;
}

/** Why a patch does not apply: a `test` that does not hold, a path that is not there, or anything else. */
export type JsonPatchFault = 'testFailed' | 'missing' | 'invalid';

/** A patch that does not apply. The message is that of evanphx/json-patch, which Velero's users see; it never holds values. */
export class JsonPatchError extends Error {
  readonly type = 'JsonPatch';
  constructor(
    readonly fault: JsonPatchFault,
    message: string,
  ) {
    super(message);
    this.name = 'JsonPatchError';
  }
}

type Container = JsonObject | Json[];

interface Place {
  /** Steps to the container, decoded. */
  readonly steps: readonly string[];
  readonly container: Container;
  readonly key: string;
}

/**
 * Applies a JSON patch with the meaning of evanphx/json-patch v5.9.11, which Velero 1.18 uses: negative indexes count from the end,
 * `-` appends, numbers are compared as they are written (`1` is not `1.0`), a missing path equals null in a `test`, text before the first `/` of a path does not
 * count. The document itself is not changed.
 * @throws JsonPatchError for the first operation that does not apply; nothing is applied then.
 */
export function applyJsonPatch(document: JsonObject, operations: readonly JsonPatchOperation[]): Json {
  return operations.reduce<Container>((root, operation) => new Application(document, root).apply(operation), document);
}

class Application {
  /** The document before the first operation: the original returns it, and not the current one, for an empty key. */
  private readonly original: Container;
  private readonly root: Container;

  constructor(original: Container, root: Container) {
    this.original = original;
    this.root = root;
  }

  apply({ operation, path, from, value, parsed }: JsonPatchOperation): Container {
    switch (operation) {
      case 'add':
        return this.add(path, parsed);
      case 'remove':
        return this.remove(path);
      case 'replace':
        return this.replace(path, parsed);
      case 'test':
        return this.test(path, value, parsed);
      case 'move':
        return this.move(from, path);
      case 'copy':
        return this.copy(from, path);
    }
  }

  private add(path: string, value: Json): Container {
    if (path === '') return toContainer(value, 'invalid state detected');
    const place = this.find(path);
    if (place === undefined) throw missing(`add operation does not apply: doc is missing path: "${path}"`);
    return this.put(place, value, `error in add for path: '${path}'`);
  }

  private remove(path: string): Container {
    const place = this.find(path);
    if (place === undefined) throw missing(`remove operation does not apply: doc is missing path: "${path}"`);
    return this.drop(place, `error in remove for path: '${path}'`);
  }

  private replace(path: string, value: Json): Container {
    if (path === '') return toContainer(value, 'replace operation value must be object or array: %!w(<nil>)');
    const place = this.find(path);
    if (place === undefined) throw missing(`replace operation does not apply: doc is missing path: ${path}`);
    const { container, key, steps } = place;
    try {
      this.read(container, key);
    } catch {
      throw missing(`replace operation does not apply: doc is missing key: ${path}`);
    }
    if (!Array.isArray(container)) return this.rebuild(steps, withKey(container, key, value));
    try {
      return this.rebuild(steps, container.with(readIndex(container, key), value));
    } catch (error) {
      throw wrapped(`error in remove for path: '${path}'`, error);
    }
  }

  private move(from: string, path: string): Container {
    if (from === '')
      throw new JsonPatchError('invalid', 'unable to move entire document to another path: invalid state detected');
    const source = this.find(from);
    if (source === undefined) throw missing(`move operation does not apply: doc is missing from path: ${from}`);
    const prefix = `error in move for path: '${source.key}'`;
    const value = this.readOr(source, prefix);
    const without = new Application(this.original, this.drop(source, prefix));
    const target = without.find(path);
    if (target === undefined) throw missing(`move operation does not apply: doc is missing destination path: ${path}`);
    return without.put(target, value ?? null, `error in move for path: '${path}'`);
  }

  private copy(from: string, path: string): Container {
    const source = this.find(from);
    if (source === undefined) throw missing(`copy operation does not apply: doc is missing from path: "${from}"`);
    const value = this.readOr(source, `error in copy for from: '${from}'`);
    const target = this.find(path);
    if (target === undefined) throw missing(`copy operation does not apply: doc is missing destination path: ${path}`);
    return this.put(target, value ?? null, 'error while adding value during copy');
  }

  private test(path: string, text: string, wanted: Json): Container {
    const failed = new JsonPatchError('testFailed', `testing value ${path} failed: test failed`);
    if (path === '') {
      if (sameAsWritten(this.root, parseLossless(text))) return this.root;
      throw failed;
    }
    const place = this.find(path);
    if (place === undefined) throw missing(`test operation does not apply: is missing path: ${path}`);
    let found: Json | undefined;
    try {
      found = this.read(place.container, place.key);
    } catch (error) {
      if (!(error instanceof MissingKey)) throw wrapped(`error in test for path: '${path}'`, error);
    }
    const isNull = (found ?? null) === null;
    if (isNull ? wanted === null : wanted !== null && sameAsWritten(found ?? null, parseLossless(text)))
      return this.root;
    throw failed;
  }

  /** The container that `path` ends in, or undefined where a step on the way is missing or no container. */
  private find(path: string): Place | undefined {
    if (path === '') return { steps: [], container: this.root, key: '' };
    const parts = path.split('/').slice(1).map(decodeKey);
    const key = parts.pop();
    if (key === undefined) return undefined;
    let container = this.root;
    for (const part of parts) {
      let next: Json | undefined;
      try {
        next = this.read(container, part);
      } catch {
        return undefined;
      }
      if (!isObject(next) && !Array.isArray(next)) return undefined;
      container = next;
    }
    return { steps: parts, container, key };
  }

  /** @throws MissingKey, GoIndexError */
  private read(container: Container, key: string): Json | undefined {
    if (key === '') return container === this.root ? this.original : undefined;
    if (Array.isArray(container)) return container[readIndex(container, key)];
    if (!Object.hasOwn(container, key)) throw new MissingKey(key);
    return container[key];
  }

  private readOr({ container, key }: Place, prefix: string): Json | undefined {
    try {
      return this.read(container, key);
    } catch (error) {
      throw wrapped(prefix, error);
    }
  }

  private put({ steps, container, key }: Place, value: Json, prefix: string): Container {
    if (!Array.isArray(container)) return this.rebuild(steps, withKey(container, key, value));
    try {
      return this.rebuild(
        steps,
        key === '-' ? [...container, value] : container.toSpliced(addIndex(container, key), 0, value),
      );
    } catch (error) {
      throw wrapped(prefix, error);
    }
  }

  private drop({ steps, container, key }: Place, prefix: string): Container {
    try {
      if (Array.isArray(container)) return this.rebuild(steps, container.toSpliced(readIndex(container, key), 1));
      if (!Object.hasOwn(container, key)) throw new MissingKey(key, 'remove');
      return this.rebuild(steps, withoutKeys(container, [key]));
    } catch (error) {
      throw wrapped(prefix, error);
    }
  }

  /** A copy of the document in which the container at `steps` is another one. */
  private rebuild(steps: readonly string[], changed: Container): Container {
    const containers: Container[] = [this.root];
    for (const step of steps) {
      const next = this.read(containers.at(-1) ?? {}, step);
      containers.push(isObject(next) || Array.isArray(next) ? next : {});
    }
    return steps.reduceRight<Container>((inner, step, depth) => {
      const owner = containers[depth] ?? {};
      if (step === '') return inner;
      return Array.isArray(owner) ? owner.with(readIndex(owner, step), inner) : withKey(owner, step, inner);
    }, changed);
  }
}

class MissingKey extends Error {
  readonly type = 'MissingKey';
  constructor(key: string, verb = 'get') {
    super(`unable to ${verb} nonexistent key: ${key}: missing value`);
  }
}

function missing(message: string): JsonPatchError {
  return new JsonPatchError('missing', `${message}: missing value`);
}

function wrapped(prefix: string, error: unknown): unknown {
  if (error instanceof MissingKey) return new JsonPatchError('missing', `${prefix}: ${error.message}`);
  if (error instanceof GoIndexError) return new JsonPatchError('invalid', `${prefix}: ${error.message}`);
  return error;
}

function toContainer(value: Json, message: string): Container {
  if (isObject(value) || Array.isArray(value)) return value;
  throw new JsonPatchError('invalid', message);
}

/** Computed keys are own keys, also `__proto__`. */
function withKey(object: JsonObject, key: string, value: Json): JsonObject {
  return { ...object, [key]: value };
}

function decodeKey(part: string): string {
  return part.replaceAll(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'));
}

/** Whether a value is what a text says, numbers digit by digit. */
function sameAsWritten(value: Json, written: unknown): boolean {
  if (Array.isArray(value)) {
    if (!Array.isArray(written) || written.length !== value.length) return false;
    return value.every((entry, index) => sameAsWritten(entry, written[index]));
  }
  if (isObject(value)) {
    if (!isPlainObject(written)) return false;
    const keys = Object.keys(value);
    if (keys.length !== Object.keys(written).length) return false;
    return keys.every((key) => Object.hasOwn(written, key) && sameAsWritten(value[key] ?? null, written[key]));
  }
  if (typeof value === 'number' || typeof value === 'bigint') {
    return isLosslessNumber(written) && renderJson(value) === written.value;
  }
  return value === written;
}

function isLosslessNumber(value: unknown): value is { readonly value: string } {
  return typeof value === 'object' && value !== null && 'isLosslessNumber' in value && value.isLosslessNumber === true;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}
