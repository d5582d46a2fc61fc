import { describe, expect, it } from '@jest/globals';
import { jobAction } from '../../../../domain/actions/job.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

const UIDS = { 'controller-uid': '6224', 'batch.kubernetes.io/controller-uid': '6224' };

describe('velero.io/job', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'both uid labels go from selector and template, others stay',
      {
        selector: { matchLabels: { ...UIDS, app: 'load' } },
        template: { metadata: { labels: { ...UIDS, 'job-name': 'load', 'batch.kubernetes.io/job-name': 'load' } } },
      },
      {
        selector: { matchLabels: { app: 'load' } },
        template: { metadata: { labels: { 'job-name': 'load', 'batch.kubernetes.io/job-name': 'load' } } },
      },
    ],
    [
      'empty labels are left out, the selector stays',
      { selector: { matchLabels: { ...UIDS } }, template: { metadata: { labels: { ...UIDS } } } },
      { selector: {}, template: { metadata: {} } },
    ],
    [
      'manualSelector and matchExpressions stay',
      { manualSelector: true, selector: { matchExpressions: [{ key: 'controller-uid', operator: 'Exists' }] } },
      { manualSelector: true, selector: { matchExpressions: [{ key: 'controller-uid', operator: 'Exists' }] } },
    ],
    ['no selector', { template: { metadata: { labels: UIDS } } }, { template: { metadata: {} } }],
    ['no labels', { selector: {}, template: { metadata: {} } }, { selector: {}, template: { metadata: {} } }],
    ['no template', { parallelism: 2 }, { parallelism: 2 }],
  ])('%s', async (_, spec, expected) => {
    // The labels of the Job itself stay, even the uid.
    const metadata: JsonObject = { name: 'load', namespace: 'data', labels: { 'controller-uid': '6224' } };
    const output = await runAction(jobAction, { kind: 'Job', metadata, spec });
    expect(output.item).toEqual({ kind: 'Job', metadata, spec: expected });
    expect(output.additionalItems).toEqual([]);
  });

  it('refuses labels that are no object', async () => {
    await expect(runAction(jobAction, { spec: { template: { metadata: { labels: 'a=b' } } } })).rejects.toThrow(
      'spec.template.metadata.labels: expected an object, found a string',
    );
  });
});
