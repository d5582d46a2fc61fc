import { getString, type JsonObject } from '../json.ts';

const ENDED: readonly string[] = ['Completed', 'Failed', 'Canceled'];

/** Whether a PodVolumeRestore or DataDownload says that it has ended, however. */
export function hasEnded(volumeWork: JsonObject): boolean {
  return ENDED.includes(getString(volumeWork, ['status', 'phase']) ?? '');
}

/** How far a node agent is with a volume: `error` holds Velero's text; undefined while it works. */
export type PodVolumeEnd = { readonly error: string | undefined } | undefined;

/**
 * How a PodVolumeRestore ended, if it has (spec restore-pipeline.md §21).
 * @param nowMs by the clock of whoever asks.
 * @param timeoutMs of each volume, counted from when it was asked for; Velero counts from the beginning of the restore for all of them.
 */
export function podVolumeEnd(podVolumeRestore: JsonObject, nowMs: number, timeoutMs: number): PodVolumeEnd {
  const message = getString(podVolumeRestore, ['status', 'message']) ?? '';
  switch (getString(podVolumeRestore, ['status', 'phase'])) {
    case 'Completed':
      return { error: undefined };
    case 'Failed':
      return { error: `pod volume restore failed: ${message}` };
    case 'Canceled':
      return { error: `pod volume restore canceled: ${message}` };
    default:
      break;
  }
  const created = Date.parse(getString(podVolumeRestore, ['metadata', 'creationTimestamp']) ?? '');
  if (Number.isNaN(created) || nowMs - created <= timeoutMs) return undefined;
  return { error: `timed out waiting for all PodVolumeRestores to complete: ${describePodVolume(podVolumeRestore)}` };
}

/** `volume files of pod shop/web`. */
export function describePodVolume(podVolumeRestore: JsonObject): string {
  const field = (...path: string[]): string => getString(podVolumeRestore, ['spec', ...path]) ?? '';
  return `volume ${field('volume')} of pod ${field('pod', 'namespace')}/${field('pod', 'name')}`;
}

/** Whether Velero's node agent runs on the node of a pod. @param agents pods with the label `role=node-agent`. */
export function runsNodeAgent(agents: readonly JsonObject[], node: string): boolean {
  return agents.some(
    (agent) => getString(agent, ['spec', 'nodeName']) === node && getString(agent, ['status', 'phase']) === 'Running',
  );
}
