import { describe, expect, it } from '@jest/globals';
import {
  parseObjectList,
  parseVolumeInfos,
  parseVolumeSnapshots,
  volumeInfosByPvName,
} from '../../../../domain/backup/volumeInfo.ts';

const file = 'backups/b/b-x.json.gz';

describe('parseVolumeInfos', () => {
  it('reads an entry with the capitalised keys of Go', () => {
    const text = JSON.stringify([
      {
        pvcName: 'c',
        pvcNamespace: 'ns',
        pvName: 'pv-1',
        backupMethod: 'CSISnapshot',
        snapshotDataMoved: true,
        preserveLocalSnapshot: false,
        skipped: false,
        csiSnapshotInfo: { snapshotHandle: 'unknown', size: 5, driver: 'd', vscName: 'v', ReadyToUse: null },
        snapshotDataMovementInfo: { dataMover: 'velero', uploaderType: 'kopia', size: 1, Phase: 'Completed' },
        pvInfo: { reclaimPolicy: 'Delete', labels: null },
      },
    ]);
    const [info] = parseVolumeInfos(`${text}\n`, file);
    expect(info).toMatchObject({
      pvName: 'pv-1',
      backupMethod: 'CSISnapshot',
      snapshotDataMoved: true,
      csiSnapshotInfo: { snapshotHandle: 'unknown', size: 5 },
      snapshotDataMovementInfo: { dataMover: 'velero', Phase: 'Completed' },
      pvInfo: { reclaimPolicy: 'Delete', labels: undefined },
    });
  });

  it('keeps a size that a double cannot hold', () => {
    const [info] = parseVolumeInfos('[{"pvbInfo":{"size":9007199254740993}}]', file);
    expect(info?.pvbInfo?.size).toBe(9007199254740993n);
  });

  it.each(['null', '[]', 'null\n'])('reads %j as an empty list', (text) => {
    expect(parseVolumeInfos(text, file)).toEqual([]);
    expect(parseVolumeSnapshots(text, file)).toEqual([]);
    expect(parseObjectList(text, file)).toEqual([]);
  });

  it('finds infos by PV, the last one wins', () => {
    const infos = parseVolumeInfos('[{"pvName":"a","result":"1"},{"pvName":"a","result":"2"},{"skipped":true}]', file);
    const byPv = volumeInfosByPvName(infos);
    expect([...byPv.keys()]).toEqual(['a', '']);
    expect(byPv.get('a')?.result).toBe('2');
  });
});

describe('errors name the file', () => {
  it.each<[string, (text: string, file: string) => unknown, string, string]>([
    ['not JSON', parseVolumeInfos, 'x', 'not JSON: invalid JSON at character 0'],
    ['a map', parseVolumeSnapshots, '{}', 'expected a JSON list'],
    ['an entry of another type', parseObjectList, '[{}, 1]', 'entry 1: expected a JSON object'],
    ['a field of another type', parseVolumeInfos, '[{"pvName":1}]', 'entry 0: pvName: found 1, expected a string'],
    ['a missing spec', parseVolumeSnapshots, '[{"status":{}}]', 'entry 0: spec: found nothing, expected an object'],
  ])('%s', (_title, parse, text, problem) => {
    expect(() => parse(text, file)).toThrow(
      expect.objectContaining({ type: 'InvalidBackupFile', message: `${file}: ${problem}` }),
    );
  });
});

describe('parseVolumeSnapshots', () => {
  it('reads native snapshots', () => {
    const text =
      '[{"spec":{"backupName":"b","backupUID":"u","location":"l","persistentVolumeName":"pv","providerVolumeID":"v","volumeType":"t","volumeIOPS":100},"status":{"providerSnapshotID":"s","phase":"Completed"}}]';
    expect(parseVolumeSnapshots(text, file)).toEqual([
      {
        spec: {
          backupName: 'b',
          backupUID: 'u',
          location: 'l',
          persistentVolumeName: 'pv',
          providerVolumeID: 'v',
          volumeType: 't',
          volumeAZ: undefined,
          volumeIOPS: 100,
        },
        status: { providerSnapshotID: 's', phase: 'Completed' },
      },
    ]);
  });
});
