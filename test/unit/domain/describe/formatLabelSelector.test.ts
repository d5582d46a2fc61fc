import { describe, expect, it } from '@jest/globals';
import { formatLabelSelector } from '../../../../domain/describe/formatLabelSelector.ts';
import { parseLabelSelector } from '../../../../domain/kubernetes/labelSelector.ts';
import type { LabelSelector } from '../../../../domain/restore/restore.ts';

describe('formatLabelSelector', () => {
  it.each<[LabelSelector | undefined, string]>([
    [undefined, '<none>'],
    [{}, '<none>'],
    [{ matchLabels: { b: '2', a: '1' } }, 'a=1,b=2'],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['y', 'x'] }] }, 'a in (x,y)'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }] }, 'a notin (x)'],
    [
      {
        matchLabels: { m: '1' },
        matchExpressions: [
          { key: 'z', operator: 'Exists' },
          { key: 'a', operator: 'DoesNotExist' },
        ],
      },
      '!a,m=1,z',
    ],
    [{ matchExpressions: [{ key: 'a', operator: 'Nope' }] }, '<error>'],
    [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, '<error>'],
  ])('%j', (selector, expected) => {
    expect(formatLabelSelector(selector)).toBe(expected);
  });

  it('prints what can be read again', () => {
    const text = formatLabelSelector({
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }],
    });
    const matches = parseLabelSelector(text);
    expect([matches({ app: 'web', tier: 'b' }), matches({ app: 'web' })]).toEqual([true, false]);
  });
});
