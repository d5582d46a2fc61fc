import type { PlanEntry } from '../plan/planEntry.ts';
import type { Restore } from '../restore/restore.ts';
import { describeFate, isAttempted } from './fate.ts';
import { compareGoStrings } from './goJson.ts';
import { type LogLevel, type LogLine, renderLogLine } from './logrus.ts';
import type { Message, Outcome } from './outcome.ts';
import { type Result, type Results, ResultsBuilder } from './results.ts';

/** What the log says about the restore itself. */
export interface LoggedRestore {
  /** Velero's namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly backupName: string;
}

export interface RestoreLogInput {
  readonly restore: Pick<Restore, 'namespace' | 'name' | 'spec'>;
  /** RFC 3339. */
  readonly startTimestamp: string;
  /** RFC 3339. */
  readonly completionTimestamp: string;
  readonly items: Iterable<{ readonly entry: PlanEntry; readonly outcome: Outcome }>;
  /** What the commands in pods did and wrote; read as it is written, for it may be much. */
  readonly hooks: AsyncIterable<LogLine> | Iterable<LogLine>;
  /** Every message of the restore, those of the items included. */
  readonly messages: Iterable<Message>;
}

/** The whole log of a restore, line by line: see {@link RestoreLog}. */
export async function* renderRestoreLog(input: RestoreLogInput): AsyncGenerator<string> {
  const { namespace, name, spec } = input.restore;
  const log = new RestoreLog({ namespace, name, backupName: spec.backupName ?? '' });
  const results = new ResultsBuilder();
  for (const message of input.messages) results.add(message);
  yield* log.start(input.startTimestamp);
  for (const { entry, outcome } of input.items) yield* log.item(entry, outcome);
  for await (const line of input.hooks) yield log.hook(line);
  yield* log.end(input.completionTimestamp, results.build());
}

/**
 * Writes the restore's log, `restore-<name>-logs.gz` before compression, in Velero's format and with its words where it has any
 * (spec backup-format.md §3.1): `start`, then `item` for each item, `hook` for each line about a hook, then `end`. Every method yields whole lines with their line
 * ends, so that a log of any size can be streamed. Names, kinds and messages are all it says of an item, never its content.
 */
export class RestoreLog {
  private readonly restore: LoggedRestore;

  constructor(restore: LoggedRestore) {
    this.restore = restore;
  }

  /** @param at RFC 3339. */
  *start(at: string): Generator<string> {
    const { namespace, backupName } = this.restore;
    yield this.line(at, 'info', 'starting restore');
    yield this.line(at, 'info', `Starting restore of backup ${namespace}/${backupName}`);
  }

  *item(entry: PlanEntry, outcome: Outcome): Generator<string> {
    const fields = itemFields(entry);
    const name = entry.targetName ?? entry.name;
    if (isAttempted(outcome))
      yield this.line(outcome.at, 'info', `Attempting to restore ${entry.kind}: ${name}.`, fields);
    for (const { level, text } of outcome.messages ?? []) yield this.line(outcome.at, level, text, fields);
    yield this.line(outcome.at, 'info', describeFate(entry, outcome), fields);
  }

  /** A line about a command in a pod. */
  hook({ time, level, message, fields }: LogLine): string {
    return this.line(time, level, message, { ...fields });
  }

  /** Errors, then warnings, each under its scope, then the last line. @param at RFC 3339. */
  *end(at: string, results: Results): Generator<string> {
    yield* this.resultLines(at, 'error', results.errors);
    yield* this.resultLines(at, 'warning', results.warnings);
    yield this.line(at, 'info', 'restore completed');
  }

  private *resultLines(at: string, level: 'error' | 'warning', result: Result): Generator<string> {
    for (const text of result.velero ?? []) yield this.line(at, level, `Velero restore ${level}: ${text}`);
    for (const text of result.cluster ?? []) yield this.line(at, level, `Cluster resource restore ${level}: ${text}`);
    const namespaces = Object.entries(result.namespaces ?? {}).sort(([a], [b]) => compareGoStrings(a, b));
    for (const [namespace, texts] of namespaces) {
      for (const text of texts)
        yield this.line(at, level, `Namespace ${namespace}, resource restore ${level}: ${text}`);
    }
  }

  private line(time: string, level: LogLevel, message: string, fields: Record<string, string> = {}): string {
    const restore = `${this.restore.namespace}/${this.restore.name}`;
    return renderLogLine({ time, level, message, fields: { ...fields, restore } });
  }
}

/** `namespace` is the original one, as in Velero; the target is named where the mapping makes it another. */
function itemFields({
  groupResource,
  namespace,
  targetNamespace,
  name,
  targetName,
}: PlanEntry): Record<string, string> {
  const fields = { groupResource, namespace: namespace ?? '', name };
  if (targetName !== undefined && targetName !== name) return { ...fields, targetName };
  if (targetNamespace === undefined || targetNamespace === namespace) return fields;
  return { ...fields, targetNamespace };
}
