import { describe, expect, it } from '@jest/globals';
import { type ResourceIdentifier, type RestoreItemAction, updated } from '../../../../domain/actions/action.ts';
import { RestoreItemActionExecuteOutput } from '../../../../domain/actions/executeOutput.ts';
import { freshRun, type ItemRun, type WaitEnd } from '../../../../domain/item/itemRun.ts';
import { getStringMap, setIn } from '../../../../domain/json.ts';
import { podOf } from '../support/items.ts';
import { advance } from '../support/prepare.ts';

const claim: ResourceIdentifier = { group: '', resource: 'persistentvolumeclaims', namespace: 'ns-1', name: 'data' };

function label(key: string): RestoreItemAction {
  return {
    name: `example.com/${key}`,
    appliesTo: {},
    execute: ({ item }) => updated(setIn(item, ['metadata', 'labels', key], 'yes')),
  };
}

function asking(change: (output: RestoreItemActionExecuteOutput) => RestoreItemActionExecuteOutput): RestoreItemAction {
  return {
    name: 'example.com/asking',
    appliesTo: {},
    execute: ({ item }) => change(new RestoreItemActionExecuteOutput(item)),
    areAdditionalItemsReady: () => true,
  };
}

const pod = podOf('ns-1/pod-1');

describe('an item whose action asks for others', () => {
  it('stops behind that action, with what it became so far', async () => {
    const actions = [label('before'), asking((output) => output.withAdditionalItems([claim])), label('behind')];
    const run = freshRun();
    const result = await advance(pod, { actions }, run);
    expect(result).toMatchObject({
      suspended: { actionIndex: 1, action: 'example.com/asking', additionalItems: [claim], waitTimeoutMs: undefined },
    });
    if (!('suspended' in result)) throw new Error('expected to wait');
    expect(getStringMap(result.suspended.item, ['metadata', 'labels'])).toEqual({ before: 'yes' });
  });

  it.each([
    ['waits without a timeout of its own', '0', 0],
    ['waits with one', '90s', 90_000],
  ])('%s', async (_title, timeout, waitTimeoutMs) => {
    const result = await advance(pod, { actions: [asking((output) => output.withItemsWait(timeout))] });
    expect(result).toMatchObject({ suspended: { additionalItems: [], waitTimeoutMs } });
  });

  it('does not wait where the action cannot be asked: version 1 is always ready', async () => {
    const action: RestoreItemAction = {
      name: 'example.com/v1',
      appliesTo: {},
      execute: ({ item }) => new RestoreItemActionExecuteOutput(item).withItemsWait(),
    };
    expect(await advance(pod, { actions: [action] })).toHaveProperty('object');
  });

  it('is not stopped by additional items of a skipped item, whose operation counts', async () => {
    const run = freshRun();
    const skipping = asking((output) => output.withAdditionalItems([claim]).withOperationId('one').withoutRestore());
    expect(await advance(pod, { actions: [skipping] }, run)).toEqual({
      end: { action: 'skipped', reason: 'action', tracked: true },
    });
    expect(run.operations).toMatchObject([{ action: 'example.com/asking', operationId: 'one' }]);
  });

  it('fails where the answer of the action cannot be used', async () => {
    const broken = { ...asking((output) => output), execute: () => ({ item: {} }) } as unknown as RestoreItemAction;
    expect(await advance(pod, { actions: [broken] })).toMatchObject({
      end: {
        action: 'failed',
        messages: [
          { text: expect.stringMatching(/^error preparing pods\/ns-1\/pod-1: item.kind in the output of action/) },
        ],
      },
    });
  });
});

describe('an item that goes on', () => {
  const stopped = setIn(setIn(pod, ['metadata', 'labels'], {}), ['metadata', 'labels', 'before'], 'yes');
  const resumed = (waited?: WaitEnd, action = 'example.com/asking', actionIndex = 1): ItemRun => ({
    ...freshRun(),
    resumed: { actionIndex, action, item: stopped, waited },
  });
  const actions = [label('before'), asking((output) => output), label('behind')];

  it('runs what follows, and nothing twice', async () => {
    const never: RestoreItemAction = {
      ...label('before'),
      execute: () => {
        throw new Error('executed again');
      },
    };
    const result = await advance(pod, { actions: [never, ...actions.slice(1)] }, resumed());
    if (!('object' in result)) throw new Error('expected an object');
    expect(getStringMap(result.object, ['metadata', 'labels'])).toMatchObject({ before: 'yes', behind: 'yes' });
  });

  it('finds its action by name at a worker that has others', async () => {
    const result = await advance(pod, { actions: [label('new'), ...actions] }, resumed());
    if (!('object' in result)) throw new Error('expected an object');
    expect(getStringMap(result.object, ['metadata', 'labels'])).not.toHaveProperty('new');
    expect(getStringMap(result.object, ['metadata', 'labels'])).toHaveProperty('behind');
  });

  it('fails at a worker that lacks its action', async () => {
    expect(await advance(pod, { actions }, resumed(undefined, 'example.com/gone', 9))).toMatchObject({
      end: { action: 'failed', messages: [{ text: expect.stringContaining('action example.com/gone') }] },
    });
  });

  it.each<[WaitEnd, string | undefined]>([
    [{ end: 'ready' }, undefined],
    [{ end: 'timedOut' }, 'additional items for pods/ns-1/pod-1 are not ready to use'],
    [
      { end: 'timedOut', unanswered: 'no answer' },
      'additional items for pods/ns-1/pod-1 are not ready to use; last check: no answer',
    ],
    [{ end: 'failed', message: 'no idea' }, 'error verifying additional items are ready to use: no idea'],
  ])('after %j says %s, and is restored', async (waited, text) => {
    const run = resumed(waited);
    expect(await advance(pod, { actions }, run)).toHaveProperty('object');
    const expected = text === undefined ? [] : [{ level: 'error', scope: { namespace: 'ns-1' }, text }];
    expect(run.messages).toEqual(expected);
  });
});
