import { getIn, getString, type JsonObject } from '../json.ts';
import { formatGroupResource } from '../kubernetes/groupResource.ts';
import type { RestoreStatus } from '../restore/restore.ts';
import type { Line } from './columns.ts';
import { printable, printTime } from './printable.ts';

type Counts = Pick<
  RestoreStatus,
  'restoreItemOperationsAttempted' | 'restoreItemOperationsCompleted' | 'restoreItemOperationsFailed'
>;

/**
 * Section 20 of `velero restore describe` (spec cli-and-status.md §6, R-458): the operations that actions have started, counted or each
 * by itself.
 * @param operations content of the file of item operations; undefined where it is not available, or not asked for.
 */
export function describeOperations(
  counts: Counts,
  operations: readonly JsonObject[] | undefined,
  details: boolean,
): Line[] {
  const attempted = counts.restoreItemOperationsAttempted ?? 0;
  if (attempted === 0) return [];
  if (details && operations !== undefined) {
    return [['Restore Item Operations:'], ...operations.flatMap((operation) => describeOperation(operation))];
  }
  const [completed, failed] = [counts.restoreItemOperationsCompleted ?? 0, counts.restoreItemOperationsFailed ?? 0];
  const hint = details ? 'their file is not available' : 'specify --details for more information';
  return [
    ['Restore Item Operations:', `${completed} of ${attempted} completed successfully, ${failed} failed (${hint})`],
  ];
}

function describeOperation(operation: JsonObject): Line[] {
  const spec = (...path: string[]): string => getString(operation, ['spec', ...path]) ?? '';
  const status = (key: string): string | undefined => getString(operation, ['status', key]);
  const item = (key: string): string => spec('resourceIdentifier', key);
  const resource = formatGroupResource({ group: item('Group'), resource: item('Resource') });
  const [done, total] = [count(operation, 'nCompleted'), count(operation, 'nTotal')];
  const optional = (name: string, text: string | undefined, print: (text: string) => string = printable): Line[] =>
    text === undefined || text === '' ? [] : [[`    ${name}:`, print(text)]];
  return [
    [`  Operation for ${printable(resource)} ${printable(`${item('Namespace')}/${item('Name')}`)}:`],
    ['    Restore Item Action Plugin:', printable(spec('restoreItemAction'))],
    ['    Operation ID:', printable(spec('operationID'))],
    ['    Phase:', printable(status('phase') ?? '')],
    ...optional('Operation Error', status('error')),
    ...optional(
      'Progress',
      done > 0 || total > 0 ? `${done} of ${total} complete (${status('operationUnits') ?? ''})` : undefined,
    ),
    ...optional('Progress description', status('description')),
    ...optional('Created', status('created'), printTime),
    ...optional('Started', status('started'), printTime),
    ...optional('Updated', status('updated'), printTime),
  ];
}

function count(operation: JsonObject, key: string): number | bigint {
  const value = getIn(operation, ['status', key]);
  return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
}
