import { describe, expect, it } from '@jest/globals';
import type { NativeVolumeSnapshot } from '../../../../domain/backup/volumeInfo.ts';
import { renderJson } from '../../../../domain/jsonText.ts';
import { type RestoredVolumes, restoreVolumeInfo } from '../../../../domain/volumes/restoreVolumeInfo.ts';
import { item } from '../support/items.ts';

const nothing: RestoredVolumes = {
  podVolumes: [],
  nativeVolumes: [],
  csiClaims: [],
  dataDownloads: [],
  boundVolumes: new Map(),
};

const snapshot: NativeVolumeSnapshot = {
  spec: {
    backupName: 'b',
    backupUID: 'u',
    location: 'l',
    persistentVolumeName: 'pv-1',
    providerVolumeID: 'v',
    volumeType: 'ebs',
    volumeAZ: 'east',
    volumeIOPS: 100,
  },
  status: { providerSnapshotID: 'snap-1', phase: 'Completed' },
};
const native = {
  restoreMethod: 'NativeSnapshot',
  snapshotDataMoved: false,
  nativeSnapshotInfo: {
    snapshotHandle: 'snap-1',
    volumeType: 'ebs',
    volumeAZ: 'east',
    iops: '100',
    Phase: 'Completed',
  },
};

const podVolumeRestore = item('velero.io/v1', 'PodVolumeRestore', 'velero/r-1', {
  spec: { pod: { namespace: 'ns-1', name: 'web' }, volume: 'files', snapshotID: 'k1', uploaderType: 'kopia' },
  status: { phase: 'Completed', progress: { totalBytes: 5 } },
});
const podVolume = { podVolumeRestore, claim: { namespace: 'ns-1', name: 'data' } };
const podVolumeEntry = {
  pvcName: 'data',
  pvcNamespace: 'ns-1',
  pvName: 'pv-9',
  restoreMethod: 'PodVolumeRestore',
  snapshotDataMoved: false,
  pvrInfo: {
    snapshotHandle: 'k1',
    size: 5,
    uploaderType: 'kopia',
    volumeName: 'files',
    podName: 'web',
    podNamespace: 'ns-1',
    Phase: 'Completed',
  },
};
const bound = new Map([['ns-1/data', 'pv-9']]);

describe('restoreVolumeInfo', () => {
  it('R-444 is empty where nothing was done', () => {
    expect(renderJson(restoreVolumeInfo(nothing))).toBe('[]');
  });

  it('R-443 tells of a renamed volume under its new name', () => {
    expect(restoreVolumeInfo({ ...nothing, nativeVolumes: [{ volume: 'renamed', snapshot }] })).toEqual([
      { pvName: 'renamed', ...native },
    ]);
  });

  it('R-445 has pod volumes before native snapshots', () => {
    const found = {
      ...nothing,
      podVolumes: [podVolume],
      nativeVolumes: [{ volume: 'pv-1', snapshot }],
      boundVolumes: bound,
    };

    expect(restoreVolumeInfo(found)).toEqual([podVolumeEntry, { pvName: 'pv-1', ...native }]);
  });

  it('R-445 names the claim of a native volume where it is bound', () => {
    const found = { ...nothing, nativeVolumes: [{ volume: 'pv-9', snapshot }], boundVolumes: bound };

    expect(restoreVolumeInfo(found)).toEqual([{ pvcName: 'data', pvcNamespace: 'ns-1', pvName: 'pv-9', ...native }]);
  });

  it('leaves out volumes of pods that have no claim', () => {
    expect(restoreVolumeInfo({ ...nothing, podVolumes: [{ podVolumeRestore, claim: undefined }] })).toEqual([]);
  });

  it('R-446 has CSI snapshots behind pod volumes, with sizes in bytes', () => {
    const volumeSnapshot = item('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'ns-1/x', {
      metadata: {
        annotations: { 'velero.io/csi-volumesnapshot-handle': 'handle-1', 'velero.io/csi-driver-name': 'driver-1' },
      },
      spec: { source: { volumeSnapshotContentName: 'content-1' } },
      status: { restoreSize: '1Gi' },
    });
    const found = {
      ...nothing,
      podVolumes: [podVolume],
      csiClaims: [{ claim: { namespace: 'ns-1', name: 'other' }, snapshot: volumeSnapshot }],
      boundVolumes: bound,
    };

    expect(restoreVolumeInfo(found)).toEqual([
      podVolumeEntry,
      {
        pvcName: 'other',
        pvcNamespace: 'ns-1',
        restoreMethod: 'CSISnapshot',
        snapshotDataMoved: false,
        csiSnapshotInfo: {
          snapshotHandle: 'handle-1',
          size: 1_073_741_824,
          driver: 'driver-1',
          vscName: 'content-1',
          ReadyToUse: null,
        },
      },
    ]);
  });

  it('R-447 tells of moved data by its DataDownloads', () => {
    const download = (name: string, datamover?: string) =>
      item('velero.io/v2alpha1', 'DataDownload', `velero/${name}`, {
        metadata: { labels: { 'velero.io/async-operation-id': `op-${name}` } },
        spec: {
          targetVolume: { pvc: name, pv: '', namespace: 'ns-1' },
          snapshotID: `k-${name}`,
          ...(datamover === undefined ? {} : { datamover }),
        },
      });
    const entry = (name: string, dataMover: string) => ({
      pvcName: name,
      pvcNamespace: 'ns-1',
      restoreMethod: 'CSISnapshot',
      snapshotDataMoved: true,
      snapshotDataMovementInfo: {
        dataMover,
        uploaderType: 'kopia',
        snapshotHandle: `k-${name}`,
        operationID: `op-${name}`,
        size: 0,
        Phase: '',
      },
    });

    expect(
      restoreVolumeInfo({ ...nothing, dataDownloads: [download('data'), download('b', 'other')], boundVolumes: bound }),
    ).toEqual([{ ...entry('data', 'velero'), pvName: 'pv-9' }, entry('b', 'other')]);
  });
});
