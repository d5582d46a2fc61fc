import { createHash } from 'node:crypto';
import { GoBoolError, parseGoBool } from '../go/bool.ts';
import { GoDurationError, parseGoDuration } from '../go/duration.ts';
import type { Json, JsonObject } from '../json.ts';
import { ANNOTATION_HOOK_NAME, DEFAULT_EXEC_TIMEOUT_MS, type ExecHook } from './hook.ts';

type Annotations = Readonly<Record<string, string>>;

const EXEC = 'post.hook.restore.velero.io';
const INIT = 'init.hook.restore.velero.io';

/** The exec hook of a pod's annotations; `container` is empty where they name none. */
export interface AnnotationHook {
  readonly hook: ExecHook;
  /** One text for each annotation that is not what it has to be, and is ignored. */
  readonly warnings: readonly string[];
}

/**
 * The exec hook that the pod's annotations describe (spec hooks.md §2), undefined where they describe none. What cannot be read is
 * ignored as in Velero, and so are negative durations (HX-09); each gives a warning that names the annotation.
 */
export function execHookFromAnnotations(annotations: Annotations): AnnotationHook | undefined {
  const commandText = annotations[`${EXEC}/command`] ?? '';
  if (commandText === '') return undefined;
  const reader = new AnnotationReader(annotations);
  const hook: ExecHook = {
    name: ANNOTATION_HOOK_NAME,
    source: 'annotation',
    index: 0,
    container: annotations[`${EXEC}/container`] ?? '',
    command: parseHookCommand(commandText),
    onError: reader.onError(`${EXEC}/on-error`),
    execTimeoutMs: reader.duration(`${EXEC}/exec-timeout`) ?? DEFAULT_EXEC_TIMEOUT_MS,
    waitTimeoutMs: reader.duration(`${EXEC}/wait-timeout`),
    waitForReady: reader.bool(`${EXEC}/wait-for-ready`),
  };
  return { hook, warnings: reader.warnings };
}

/**
 * The init container that the pod's annotations describe (spec hooks.md §2, item-actions.md §5.9), undefined where they name no
 * image. Without a command the image's own entry point runs; Velero crashes there (HX-05). A container without a name gets one that is the
 * same whenever the pod is prepared again, and another in the next restore: a backup may hold the container of an earlier one.
 */
export function initContainerFromAnnotations(annotations: Annotations, restoreUid: string): JsonObject | undefined {
  const image = annotations[`${INIT}/container-image`] ?? '';
  if (image === '') return undefined;
  const name = annotations[`${INIT}/container-name`] ?? '';
  const commandText = annotations[`${INIT}/command`] ?? '';
  const command = commandText === '' ? [] : parseHookCommand(commandText);
  return {
    name: name === '' ? `velero-restore-init-${shortHash(restoreUid)}` : name,
    image,
    ...(command.length > 0 ? { command } : {}),
  };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** A JSON array of strings, or the whole text as the name of one program: no shell, no splitting at spaces. */
export function parseHookCommand(text: string): string[] {
  if (!text.startsWith('[')) return [text];
  try {
    const parsed = JSON.parse(text) as Json;
    if (Array.isArray(parsed) && parsed.every((part) => typeof part === 'string')) return parsed;
  } catch {
    // As in Velero: text that is no JSON is a program's name.
  }
  return [text];
}

/** Reads annotations and keeps what is wrong with them. */
class AnnotationReader {
  readonly warnings: string[] = [];
  private readonly annotations: Annotations;

  constructor(annotations: Annotations) {
    this.annotations = annotations;
  }

  onError(key: string): ExecHook['onError'] {
    const value = this.annotations[key] ?? '';
    if (value === 'Fail' || value === 'Continue') return value;
    if (value !== '') this.ignored(key, value, 'Continue or Fail');
    return 'Continue';
  }

  /** Milliseconds; undefined for nothing, zero, and what is ignored. */
  duration(key: string): number | undefined {
    const value = this.annotations[key] ?? '';
    if (value === '') return undefined;
    try {
      const milliseconds = parseGoDuration(value);
      if (milliseconds < 0) this.ignored(key, value, 'a duration of at least 0');
      return milliseconds > 0 ? milliseconds : undefined;
    } catch (error) {
      if (!(error instanceof GoDurationError)) throw error;
      this.ignored(key, value, 'a Go duration such as 30s or 1m30s');
      return undefined;
    }
  }

  bool(key: string): boolean {
    const value = this.annotations[key] ?? '';
    if (value === '') return false;
    try {
      return parseGoBool(value);
    } catch (error) {
      if (!(error instanceof GoBoolError)) throw error;
      this.ignored(key, value, 'true or false');
      return false;
    }
  }

  private ignored(key: string, value: string, expected: string): void {
    this.warnings.push(`annotation ${key}: found ${JSON.stringify(value)}, expected ${expected}: ignored`);
  }
}
