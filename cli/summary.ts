import { printable, printTime } from '../domain/describe/printable.ts';
import type { RestoreStatus } from '../domain/restore/restore.ts';
import { type Counters, itemsDone } from '../domain/results/counters.ts';
import { countResult, type Result, type Results } from '../domain/results/results.ts';
import { count, duration } from './run/progressText.ts';

/** Messages of a kind that are shown; the rest is in the restore's files. */
const SHOWN_MESSAGES = 10;

/** What a command says at the end of a restore. */
export interface RestoreSummary {
  readonly name: string;
  readonly backupName: string;
  readonly status: RestoreStatus;
  readonly cancelled: boolean;
  /** Undefined where only the files are known. */
  readonly counters?: Counters | undefined;
  readonly results?: Results | undefined;
  /** Where the restore's files are, for people. */
  readonly files?: string | undefined;
  readonly uiUrl?: string | undefined;
  /** How to see more. */
  readonly hint?: string | undefined;
}

/** The summary for people. */
export function renderSummary(summary: RestoreSummary): string {
  const { name, backupName, status, cancelled, counters, files, uiUrl, hint } = summary;
  const lines = [
    `Restore ${printable(name)}: ${status.phase}${cancelled ? ' (cancelled)' : ''}`,
    field('Backup', printable(backupName)),
    ...reasonLines(status, cancelled),
    ...itemLines(status, counters),
    ...timeLines(status),
    ...(status.phase === 'FailedValidation' ? [] : countedLines(summary)),
    ...(files === undefined ? [] : [field('Files', printable(files))]),
    ...(uiUrl === undefined ? [] : [field('Temporal UI', uiUrl)]),
    ...(hint === undefined ? [] : [hint]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Why there is no restored cluster, on one line; undefined where there is one. */
export function troubleOf({ name, status, cancelled }: RestoreSummary): string | undefined {
  if (status.phase === 'FailedValidation') {
    return `restore ${name} failed validation, nothing was changed: ${(status.validationErrors ?? []).map(printable).join('; ')}`;
  }
  if (status.phase !== 'Failed' || cancelled) return undefined;
  return `restore ${name} failed: ${printable(status.failureReason ?? 'unknown reason')}`;
}

/** The summary for programs; keys whose value is not known are left out. */
export function summaryObject(summary: RestoreSummary): Record<string, unknown> {
  const { name, backupName, status, cancelled, counters, results, files, uiUrl } = summary;
  return { name, backupName, phase: status.phase, cancelled, status, counters, results, files, uiUrl };
}

function field(name: string, value: string): string {
  return `  ${`${name}:`.padEnd(13)}${value}`;
}

function reasonLines({ failureReason, validationErrors = [] }: RestoreStatus, cancelled: boolean): string[] {
  return [
    ...(failureReason === undefined || cancelled ? [] : [field('Reason', printable(failureReason))]),
    ...validationErrors.map((error) => field('Invalid', printable(error))),
  ];
}

function itemLines({ progress }: RestoreStatus, counters: Counters | undefined): string[] {
  if (counters !== undefined) {
    const { created, updated, skipped, failed } = counters;
    const parts = `${count(created)} created, ${count(updated)} updated, ${count(skipped)} skipped, ${count(failed)} failed`;
    return [field('Items', `${count(itemsDone(counters))}: ${parts}`)];
  }
  if (progress === undefined) return [];
  return [field('Items', `${count(progress.itemsRestored)} of ${count(progress.totalItems)}`)];
}

function timeLines({ startTimestamp, completionTimestamp }: RestoreStatus): string[] {
  if (startTimestamp === undefined || completionTimestamp === undefined) return [];
  const seconds = (Date.parse(completionTimestamp) - Date.parse(startTimestamp)) / 1_000;
  return [field('Time', `${duration(seconds)}, ended ${printTime(completionTimestamp)}`)];
}

function countedLines({ results, status }: RestoreSummary): string[] {
  return [
    ...messageLines('Warnings', results?.warnings, status.warnings),
    ...messageLines('Errors', results?.errors, status.errors),
  ];
}

function messageLines(name: string, result: Result | undefined, counted = 0): string[] {
  const total = result === undefined ? counted : countResult(result);
  if (result === undefined || total === 0) return [field(name, count(total))];
  const messages = listMessages(result);
  const rest = messages.length - SHOWN_MESSAGES;
  return [
    field(name, count(total)),
    ...messages.slice(0, SHOWN_MESSAGES).map((message) => `    ${message}`),
    ...(rest > 0 ? [`    … and ${count(rest)} more`] : []),
  ];
}

function listMessages({ velero = [], cluster = [], namespaces = {} }: Result): string[] {
  return [
    ...velero.map((text) => printable(text)),
    ...cluster.map((text) => `cluster: ${printable(text)}`),
    ...Object.entries(namespaces).flatMap(([namespace, texts]) =>
      texts.map((text) => `${printable(namespace)}: ${printable(text)}`),
    ),
  ];
}
