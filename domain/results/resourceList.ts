import { isObject, type Json } from '../json.ts';
import { parseJson } from '../jsonText.ts';
import type { PlanEntry } from '../plan/planEntry.ts';
import { compareGoStrings, renderGoJson, sortedRecord } from './goJson.ts';
import type { Outcome, OutcomeAction } from './outcome.ts';

/** `"<apiVersion>/<Kind>" → ["[namespace/]name(action)", …]`, sorted (spec backup-format.md §3.3). */
export type ResourceListContent = Readonly<Record<string, readonly string[]>>;

export class InvalidResourceListError extends Error {
  readonly type = 'InvalidResourceList';
  constructor(problem: string) {
    super(`resource list: ${problem}`);
    this.name = 'InvalidResourceListError';
  }
}

const CLAIM_KEY = 'v1/PersistentVolumeClaim';
const CREATED_ENTRY = /^(.+)\(created\)$/s;

/** Velero's key of a kind: `v1/Namespace`, `customized/v1/Cron`. */
export function resourceKey({ apiVersion, kind }: Pick<PlanEntry, 'apiVersion' | 'kind'>): string {
  return `${apiVersion}/${kind}`;
}

/**
 * The list of restored resources that `velero restore describe --details` shows (spec restore-pipeline.md §24). Only what
 * Velero tracks is listed, and a namespace only where it was created. Of several items that the mapping makes one, only the first is listed.
 */
export class ResourceList {
  private readonly entries = new Map<string, string[]>();

  add(entry: PlanEntry, outcome: Outcome): void {
    if (!outcome.tracked || outcome.reason === 'duplicate') return;
    if (entry.groupResource === 'namespaces' && outcome.action !== 'created') return;
    const key = resourceKey(entry);
    const name = outcome.createdName ?? entry.targetName ?? entry.name;
    const prefix = entry.targetNamespace === undefined ? '' : `${entry.targetNamespace}/`;
    const text = `${prefix}${name}(${actionWord(outcome)})`;
    const list = this.entries.get(key);
    if (list === undefined) this.entries.set(key, [text]);
    else list.push(text);
  }

  content(): ResourceListContent {
    const lists = [...this.entries].map(([key, list]) => [key, [...list].sort(compareGoStrings)] as const);
    return sortedRecord(Object.fromEntries(lists));
  }

  /** Text of `restore-<name>-resource-list.json.gz` before compression, byte for byte as Velero writes it. */
  render(): string {
    return renderGoJson(this.content());
  }
}

/** Velero calls an item `failed` also where a warning is all there is (spec restore-pipeline.md §24). */
function actionWord({ action, messages = [] }: Outcome): OutcomeAction {
  return action === 'skipped' && messages.length > 0 ? 'failed' : action;
}

/**
 * Reads the text of a resource list.
 * @throws InvalidResourceListError where it is none.
 */
export function parseResourceList(text: string): ResourceListContent {
  const file = parseFile(text);
  if (!isObject(file)) throw new InvalidResourceListError('expected a map of lists');
  return Object.fromEntries(Object.entries(file).map(([key, list]) => [key, readEntries(key, list)]));
}

function parseFile(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new InvalidResourceListError('found text that is not JSON');
  }
}

function readEntries(key: string, value: Json): string[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new InvalidResourceListError(`${key}: expected a list`);
  return value.map((entry, index) => {
    if (typeof entry === 'string') return entry;
    throw new InvalidResourceListError(`${key}.${index}: expected a string`);
  });
}

/** `namespace/name` of every claim that the restore created, for the volume info (R-233…R-235). */
export function createdClaims(content: ResourceListContent): string[] {
  const claims = Object.hasOwn(content, CLAIM_KEY) ? content[CLAIM_KEY] : undefined;
  return (claims ?? []).flatMap((entry) => CREATED_ENTRY.exec(entry)?.[1] ?? []);
}
