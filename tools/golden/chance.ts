import type { FoundDifference } from './comparison.ts';

/** "<assigned>" stands for any address or port that the Service did not have in the backup (golden README, "Comparing"). */
const ASSIGNED_THE_SAME =
  /^(?:before the restore: )?v1 Service \S+ {2}\.spec(?:\.clusterIP|\.clusterIPs\[\d+\]|\.healthCheckNodePort|\.ports\[\d+\]\.nodePort): "<assigned>" -> "(?:#\d+|[\d.]+|[\da-f:]+)"$/;

/**
 * Whether a difference may be chance: the API server chose the very address or port that the Service had in the backup (1 in some
 * 2,700 for each pair of ports), which looks as if it had been kept. A fault shows again when the case is run once more, chance
 * does not.
 */
export function mayBeChance({ kind, line }: FoundDifference): boolean {
  return kind === 'object' && ASSIGNED_THE_SAME.test(line);
}
