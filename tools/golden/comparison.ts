import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { RestoreStatus } from '../../domain/restore/restore.ts';
import { parseResourceList, type ResourceListContent } from '../../domain/results/resourceList.ts';
import { countResult, parseResultsFile } from '../../domain/results/results.ts';
import type { DifferenceKind } from './differences.ts';
import { compareProgram } from './goldenData.ts';
import { readText, writeJson } from './objectFile.ts';

/** One line of the comparison program. */
export interface FoundDifference {
  readonly kind: DifferenceKind;
  readonly line: string;
}

/** Our plain field manager; the one of a create must be gone at the end. */
const RESTORER = 'durable-restore';

const CLOSING_LINE = /^\d+ differences\n$/m;

/**
 * Runs the golden set's own comparison program.
 * @returns its lines without the closing count
 * @throws Error where it cannot compare
 */
async function runCompare(args: readonly string[]): Promise<string[]> {
  const output = await new Promise<string>((resolve, reject) => {
    const options = { maxBuffer: 256 * 1024 * 1024 };
    execFile(process.execPath, [compareProgram, '--max', '1000000', ...args], options, (error, stdout, stderr) => {
      // It ends with 1 where there are differences, and Node does where a program breaks: only the closing line tells.
      if (CLOSING_LINE.test(stdout)) resolve(stdout.replace(CLOSING_LINE, ''));
      else reject(new Error(`the comparison program failed: ${stderr.trim() || (error?.message ?? 'no output')}`));
    });
  });
  const lines = output.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

function found(kind: DifferenceKind, lines: readonly string[]): FoundDifference[] {
  return lines.map((line) => ({ kind, line }));
}

/** Compares two dumps (golden README, "Comparing"). */
export async function compareObjects(
  expected: string,
  actual: string,
  options: { readonly sourcePorts: string; readonly further?: readonly string[] | undefined },
): Promise<FoundDifference[]> {
  const args = ['--restorer', RESTORER, '--ports', options.sourcePorts, ...(options.further ?? []), expected, actual];
  return found('object', await runCompare(args));
}

/** Compares warnings and errors, as sets. */
export async function compareResults(expected: string, actual: string): Promise<FoundDifference[]> {
  return found('results', await runCompare(['--results', expected, actual]));
}

/** Compares two resource lists item by item. @param directory gets the two lists in a form of which each item is a path */
export async function compareResourceLists(
  expected: string,
  actual: string,
  directory: string,
): Promise<FoundDifference[]> {
  const files = [join(directory, 'resource-list-expected.json'), join(directory, 'resource-list-found.json')] as const;
  await writeJson(files[0], itemised(parseResourceList(await readText(expected))));
  await writeJson(files[1], itemised(parseResourceList(await readText(actual))));
  return found('resourceList', await runCompare(['--json', ...files]));
}

/** `{"v1/Secret": {"shop/token": "created"}}`: a list of texts would shift where one is missing. */
export function itemised(content: ResourceListContent): JsonObject {
  return Object.fromEntries(
    Object.entries(content).map(([kind, entries]) => {
      const items = new Map<string, string[]>();
      for (const entry of entries) {
        const [, name = entry, action = ''] = /^(.*)\(([a-z]+)\)$/s.exec(entry) ?? [];
        items.set(name, [...(items.get(name) ?? []), actionOf(kind, name, action)]);
      }
      return [kind, Object.fromEntries([...items].map(([name, actions]) => [name, actions.sort().join(', ')]))];
    }),
  );
}

/** Who makes a `default` account first, the controller or the restore, is a race (golden README, surprise 12). */
function actionOf(kind: string, name: string, action: string): string {
  const isRace = kind === 'v1/ServiceAccount' && name.endsWith('/default') && ['created', 'skipped'].includes(action);
  return isRace ? 'created or skipped' : action;
}

/**
 * Compares what `status` says: phase, reasons, progress and hooks with Velero's. Counts of messages are held against our own results
 * file, which is compared line by line: so a count may differ from Velero's by nothing but differences that are shown.
 * @param directory gets the two statuses as they are compared
 */
export async function compareStatus(
  expected: Json,
  actual: RestoreStatus,
  options: { readonly results: string | undefined; readonly directory: string },
): Promise<FoundDifference[]> {
  const counts = options.results === undefined ? {} : await countMessages(options.results);
  const files = [
    join(options.directory, 'status-expected.json'),
    join(options.directory, 'status-found.json'),
  ] as const;
  await writeJson(files[0], { ...comparableStatus(expected), ...counts });
  await writeJson(files[1], {
    ...comparableStatus(JSON.parse(JSON.stringify(actual)) as Json),
    ...(options.results === undefined ? {} : { warnings: actual.warnings ?? 0, errors: actual.errors ?? 0 }),
  });
  return found('status', await runCompare(['--json', ...files]));
}

async function countMessages(resultsFile: string): Promise<JsonObject> {
  const { warnings, errors } = parseResultsFile(await readText(resultsFile));
  return { warnings: countResult(warnings), errors: countResult(errors) };
}

function comparableStatus(status: Json): JsonObject {
  const { phase, failureReason, progress, hookStatus, validationErrors } = status as JsonObject;
  const texts = Array.isArray(validationErrors) ? validationErrors.filter((text) => typeof text === 'string') : [];
  return {
    ...(phase === undefined ? {} : { phase }),
    ...(failureReason === undefined ? {} : { failureReason }),
    // Velero writes empty ones where it has nothing to count.
    ...zeroFilled('progress', progress, ['totalItems', 'itemsRestored']),
    ...zeroFilled('hookStatus', hookStatus, ['hooksAttempted', 'hooksFailed']),
    validationErrors: timesEach(texts),
  };
}

function zeroFilled(key: string, value: Json | undefined, counters: readonly string[]): JsonObject {
  const given = value as JsonObject | undefined;
  return { [key]: Object.fromEntries(counters.map((counter) => [counter, given?.[counter] ?? 0])) };
}

/** How often each text occurs: a list would shift where one is missing. */
function timesEach(texts: readonly string[]): JsonObject {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return Object.fromEntries(times);
}
