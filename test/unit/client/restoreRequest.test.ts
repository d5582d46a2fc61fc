import { describe, expect, it } from '@jest/globals';
import { requestHash } from '../../../client/index.ts';
import { checkCluster, toRestoreRequest } from '../../../client/restoreRequest.ts';
import { defaultRestoreOptions } from '../../../domain/contract.ts';

const restore = { name: 'copy', spec: { backupName: 'nightly', includedNamespaces: ['shop'] } };

describe('toRestoreRequest', () => {
  it('completes name space, uid, location and options', () => {
    const { input, memo } = toRestoreRequest('east', restore, 'made-here', { options: { shards: 2 } });
    expect(input).toEqual({
      cluster: 'east',
      restore: { ...restore, namespace: 'velero', uid: 'made-here' },
      storageLocation: 'default',
      options: { ...defaultRestoreOptions, shards: 2 },
      useSearchAttributes: true,
    });
    expect(memo).toMatchObject({ restoreUid: 'made-here', backupName: 'nightly', storageLocation: 'default' });
  });

  it('keeps the uid of a Restore object, and facts of the caller', () => {
    const { input, memo } = toRestoreRequest('east', { ...restore, uid: 'of-object' }, 'made-here', {
      memo: { who: 'me' },
    });
    expect(input.restore.uid).toBe('of-object');
    expect(memo).toMatchObject({ restoreUid: 'of-object', who: 'me' });
  });

  it('does not let a caller replace our own facts', () => {
    const { memo } = toRestoreRequest('east', restore, 'made-here', { memo: { restoreUid: 'forged' } });
    expect(memo.restoreUid).toBe('made-here');
  });

  it('names the schedule where there is no backup yet', () => {
    const { memo } = toRestoreRequest('east', { name: 'copy', spec: { scheduleName: 'daily' } }, 'u', {});
    expect(memo.backupName).toBe('newest of schedule daily');
  });

  it.each([
    ['Copy', 'name of the restore: found "Copy"'],
    ['', 'name of the restore: found ""'],
    ['a/b', 'name of the restore: found "a/b"'],
  ])('refuses the name %p', (name, message) => {
    expect(() => toRestoreRequest('east', { ...restore, name }, 'u', {})).toThrow(message);
  });

  it('tells everything that is wrong with a spec before anything is started', () => {
    const spec = {
      backupName: 'nightly',
      namespaceMapping: { shop: 'Not_A_Name' },
      existingResourcePolicy: 'none',
    } as const;
    expect(() => toRestoreRequest('east', { ...restore, spec }, 'u', {})).toThrow('"Not_A_Name"');
  });

  it.each([
    [{ shards: 0 }, 'shards: found 0'],
    [{ window: 2_000 }, 'window: found 2000'],
    [{ itemsPerActivity: 1.5 }, 'items per activity: found 1.5'],
  ])('refuses the options %p', (options, message) => {
    expect(() => toRestoreRequest('east', restore, 'u', { options })).toThrow(message);
  });
});

describe('requestHash', () => {
  const hash = (spec: object, start = {}): string => requestHash({ spec }, start);

  it('is the same for the same request, whatever the order of its fields', () => {
    expect(hash({ backupName: 'a', restorePVs: true })).toBe(hash({ restorePVs: true, backupName: 'a' }));
    expect(hash({ backupName: 'a' }, { options: {} })).toBe(hash({ backupName: 'a' }, { storageLocation: 'default' }));
  });

  it.each([
    ['another backup', { backupName: 'b' }, {}],
    ['another location', { backupName: 'a' }, { storageLocation: 'b' }],
    ['another option', { backupName: 'a' }, { options: { order: 'strict' } }],
    ['another order of a list', { backupName: 'a', includedNamespaces: ['y', 'x'] }, {}],
  ])('tells %s apart', (_, spec, start) => {
    const base = { backupName: 'a', ...(_.includes('list') ? { includedNamespaces: ['x', 'y'] } : {}) };
    expect(hash(spec, start)).not.toBe(hash(base));
  });
});

describe('checkCluster', () => {
  it.each(['default', 'eu-west-1', 'A.b_c'])('takes %s', (cluster) => {
    checkCluster(cluster);
  });

  it.each(['', 'a/b', "a' OR '1", '-a', 'x'.repeat(101)])('refuses %p', (cluster) => {
    expect(() => {
      checkCluster(cluster);
    }).toThrow('cluster: found');
  });
});
