import { describe, expect, it } from '@jest/globals';
import { describeRestore } from '../../../../domain/describe/describeRestore.ts';
import { describeRestoreJson } from '../../../../domain/describe/describeRestoreJson.ts';
import { describeWaits } from '../../../../domain/describe/describeWaits.ts';
import type { RestoreDescription } from '../../../../domain/describe/restoreDescription.ts';

const wait = {
  item: 'Pod shop/web-0',
  action: 'example.com/a',
  awaited: 'Secret shop/key\u001b[31m and 2 more',
  deadline: '2026-01-01T00:10:00.000Z',
};
const description: RestoreDescription = {
  restore: { name: 'r', namespace: 'velero', uid: 'u', spec: { backupName: 'b' } },
  status: { phase: 'InProgress' },
  waits: [wait],
};

describe('items that wait, in describe', () => {
  it('are listed with action, what is awaited and the deadline, without control characters', () => {
    const text = describeRestore(description);
    expect(text).toMatch(
      /Waiting items:\s+Pod shop\/web-0: example\.com\/a awaits Secret shop\/key\S*\[31m and 2 more until 2026-01-01T00:10:00\.000Z/,
    );
    expect(text).not.toContain('\u001b');
    expect(JSON.parse(describeRestoreJson(description))).toMatchObject({ status: { waits: [wait] } });
  });

  it('are not mentioned where there are none', () => {
    expect(describeWaits([])).toEqual([]);
    expect(describeRestore({ ...description, waits: undefined })).not.toContain('Waiting items');
  });
});
