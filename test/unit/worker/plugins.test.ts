import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type RestoreItemAction, updated } from '../../../domain/actions/action.ts';
import type { WorkerConfig } from '../../../worker/config.ts';
import { openExtensions } from '../../../worker/plugins.ts';

const log = pino({ level: 'silent' });

function config(more: Partial<WorkerConfig>): WorkerConfig {
  return { temporal: { address: 'a', namespace: 'n' }, cluster: 'c', storageLocations: [], ...more };
}

function action(name: string): RestoreItemAction {
  return { name, appliesTo: {}, execute: ({ item }) => updated(item) };
}

describe('what extends a worker', () => {
  it('is nothing by default', async () => {
    const { plugins, actions } = await openExtensions(config({}), log);
    expect(await actions()).toEqual([]);
    expect(plugins.offered).toEqual([]);
    await plugins.close();
  });

  it('runs in the order given', async () => {
    const { plugins, actions } = await openExtensions(config({ actions: [action('b.c/two'), action('b.c/one')] }), log);
    expect((await actions()).map(({ name }) => name)).toEqual(['b.c/two', 'b.c/one']);
    await plugins.close();
  });

  it.each([
    [
      'twice',
      [action('b.c/one'), action('b.c/one')],
      'b.c/one is registered twice at this worker: by two modules or plugins',
    ],
    [
      'that is built in',
      [action('velero.io/pod')],
      'velero.io/pod is registered twice at this worker: it is built in, and no plugin can take its place',
    ],
  ])('cannot have an action %s', async (_title, actions, message) => {
    await expect(openExtensions(config({ actions }), log)).rejects.toMatchObject({
      type: 'DuplicateAction',
      message: `restore item action ${message}`,
    });
  });
});
