import { getObject, getString, type JsonObject } from '../json.ts';
import type { Line } from './columns.ts';
import { printable } from './printable.ts';

const NO_DETAILS = 'specify --details for more information';
/** In Velero's order; what is still at work is not in the file. */
const PHASES: readonly string[] = ['Completed', 'Canceled', 'Failed'];

/**
 * Sections 14 and 15 of `velero restore describe` (spec cli-and-status.md §6, R-459, R-461): volumes that node agents and CSI snapshots have restored, from the volume info
 * file. Velero looks at PodVolumeRestores in the cluster for the first, and so has those that are at work too.
 */
export function describeVolumes(volumes: readonly JsonObject[], details: boolean): Line[][] {
  return [describePodVolumes(volumes, details), describeCsiSnapshots(volumes, details)];
}

function describePodVolumes(volumes: readonly JsonObject[], details: boolean): Line[] {
  const infos = volumes.map((volume) => getObject(volume, ['pvrInfo'])).filter((info) => info !== undefined);
  const [first] = infos;
  if (first === undefined) return [];
  const uploader = text(first, 'uploaderType');
  return [
    [details ? `${uploader} Restores:` : `${uploader} Restores (${NO_DETAILS}):`],
    ...PHASES.flatMap((phase): Line[] => {
      const ofPhase = infos.filter((info) => getString(info, ['Phase']) === phase);
      if (ofPhase.length === 0) return [];
      return details ? [[`  ${phase}:`], ...volumesOfPods(ofPhase)] : [[`  ${phase}:`, String(ofPhase.length)]];
    }),
  ];
}

/** `ns/pod: a, b`, sorted. */
function volumesOfPods(infos: readonly JsonObject[]): Line[] {
  const pods = new Map<string, string[]>();
  for (const info of infos) {
    const pod = `${text(info, 'podNamespace')}/${text(info, 'podName')}`;
    pods.set(pod, [...(pods.get(pod) ?? []), text(info, 'volumeName')]);
  }
  return [...pods].sort(byName).map(([pod, volumes]): Line => [`    ${pod}: ${volumes.sort().join(', ')}`]);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function describeCsiSnapshots(volumes: readonly JsonObject[], details: boolean): Line[] {
  const restored = volumes.filter((volume) => getString(volume, ['restoreMethod']) === 'CSISnapshot');
  if (restored.length === 0) return [['CSI Snapshot Restores:', '<none included>']];
  const isMoved = (volume: JsonObject): boolean => volume['snapshotDataMoved'] === true;
  const ordered = [...restored.filter((volume) => !isMoved(volume)), ...restored.filter(isMoved)];
  return [
    ['CSI Snapshot Restores:'],
    ...ordered.flatMap((volume): Line[] => [
      [`  ${text(volume, 'pvcNamespace')}/${text(volume, 'pvcName')}:`],
      ...(isMoved(volume) ? movementLines(volume, details) : snapshotLines(volume, details)),
    ]),
  ];
}

function snapshotLines(volume: JsonObject, details: boolean): Line[] {
  if (!details) return [[`    Snapshot: ${NO_DETAILS}`]];
  const info = getObject(volume, ['csiSnapshotInfo']) ?? {};
  return [
    ['    Snapshot:'],
    [`      Snapshot Content Name: ${text(info, 'vscName')}`],
    [`      Storage Snapshot ID: ${text(info, 'snapshotHandle')}`],
    [`      CSI Driver: ${text(info, 'driver')}`],
  ];
}

function movementLines(volume: JsonObject, details: boolean): Line[] {
  if (!details) return [[`    Data Movement: ${NO_DETAILS}`]];
  const info = getObject(volume, ['snapshotDataMovementInfo']) ?? {};
  return [
    ['    Data Movement:'],
    [`      Operation ID: ${text(info, 'operationID')}`],
    [`      Data Mover: ${text(info, 'dataMover')}`],
    [`      Uploader Type: ${text(info, 'uploaderType')}`],
  ];
}

function text(object: JsonObject, field: string): string {
  return printable(getString(object, [field]) ?? '');
}
