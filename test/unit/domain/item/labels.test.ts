import { describe, expect, it } from '@jest/globals';
import { getIn } from '../../../../domain/json.ts';
import { toLabelValue } from '../../../../domain/restore/labels.ts';
import { podOf, withLabels } from '../support/items.ts';
import { objectOf } from '../support/prepare.ts';

const exactly63 = 'the-really-long-kube-service-name-that-is-exactly-63-characters';
const longer = 'the-really-long-kube-service-name-that-is-much-greater-than-63-characters';

describe('toLabelValue', () => {
  it.each([
    ['R-236 a short name', 'short label value', 'short label value'],
    ['63 characters', exactly63, exactly63],
    [
      'R-237 more than 63 characters',
      'this_is_a_very_long_label_value_that_will_be_rejected_by_Kubernetes',
      'this_is_a_very_long_label_value_that_will_be_rejected_by_8d0722',
    ],
  ])('%s', (_title, name, expected) => {
    expect(toLabelValue(name)).toBe(expected);
    expect(expected.length).toBeLessThanOrEqual(63);
  });
});

describe('restore labels', () => {
  it.each([
    ['R-045 short names', 'backup-1', 'restore-1', 'backup-1', 'restore-1'],
    ['R-046 names of 63 characters', exactly63, exactly63, exactly63, exactly63],
    [
      'R-047 longer names',
      longer,
      longer,
      'the-really-long-kube-service-name-that-is-much-greater-th8a11b3',
      'the-really-long-kube-service-name-that-is-much-greater-th8a11b3',
    ],
  ])('%s', async (_title, backupName, restoreName, backupLabel, restoreLabel) => {
    const object = await objectOf(podOf('ns-1/pod-1', withLabels({ a: 'b', 'velero.io/restore-name': 'older' })), {
      backupName,
      restoreName,
    });

    expect(getIn(object, ['metadata', 'labels'])).toEqual({
      a: 'b',
      'velero.io/backup-name': backupLabel,
      'velero.io/restore-name': restoreLabel,
    });
  });
});
