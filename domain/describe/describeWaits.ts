import type { ItemWait } from '../contract.ts';
import type { Line } from './columns.ts';
import { listLines } from './describeLines.ts';
import { printable } from './printable.ts';

/** Items that wait until what their action asked for is ready; only while a restore runs, and not in Velero's output. */
export function describeWaits(waits: readonly ItemWait[]): Line[] {
  if (waits.length === 0) return [];
  return listLines(
    'Waiting items',
    waits.map((wait) => printable(`${wait.item}: ${wait.action} awaits ${wait.awaited} until ${wait.deadline}`)),
  );
}
