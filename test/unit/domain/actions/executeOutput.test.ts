import { describe, expect, it } from '@jest/globals';
import { checkActionName } from '../../../../domain/actions/actionName.ts';
import { checkOutput } from '../../../../domain/actions/checkOutput.ts';
import { RestoreItemActionExecuteOutput } from '../../../../domain/actions/executeOutput.ts';

const item = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password: 'never-told' } };
const claim = { group: '', resource: 'persistentvolumeclaims', namespace: 'shop', name: 'data' };

describe('RestoreItemActionExecuteOutput', () => {
  it('restores the item and asks for nothing', () => {
    expect(Object.fromEntries(Object.entries(new RestoreItemActionExecuteOutput(item)))).toEqual({
      item,
      additionalItems: [],
      skipRestore: false,
    });
  });

  it('keeps every step', () => {
    const output = new RestoreItemActionExecuteOutput(item)
      .withAdditionalItems([claim])
      .withItemsWait('90s')
      .withOperationId('operation-1')
      .withAdditionalItems([claim])
      .withoutRestore();
    expect(Object.fromEntries(Object.entries(output))).toEqual({
      item,
      additionalItems: [claim, claim],
      skipRestore: true,
      operationId: 'operation-1',
      waitForAdditionalItems: true,
      additionalItemsReadyTimeoutMs: 90_000,
    });
  });

  it('waits as long as the restore says where no timeout is given', () => {
    const output = new RestoreItemActionExecuteOutput(item).withItemsWait();
    expect(output).toMatchObject({ waitForAdditionalItems: true, additionalItemsReadyTimeoutMs: 0 });
  });

  it.each([
    ['5 minutes', /additionalItemsReadyTimeout: duration "5 minutes"/],
    ['-5s', /additionalItemsReadyTimeout: expected a duration of 0 or more, got "-5s"/],
  ])('refuses the timeout %j', (timeout, message) => {
    expect(() => new RestoreItemActionExecuteOutput(item).withItemsWait(timeout)).toThrow(message);
  });

  it('refuses an empty operation id', () => {
    expect(() => new RestoreItemActionExecuteOutput(item).withOperationId('')).toThrow(/operationId/);
  });
});

describe('what an action answers', () => {
  it.each([
    ['nothing', undefined, 'everything'],
    ['no item', {}, 'item'],
    ['a list as item', { item: [] }, 'item'],
    ['an item without a kind', { item: { metadata: {} } }, 'item.kind'],
    ['additional items that are no list', { item, additionalItems: {} }, 'additionalItems'],
    ['an additional item that is none', { item, additionalItems: [claim, { name: 'x' }] }, 'additionalItems[1]'],
    ['an operation id that is no text', { item, operationId: 7 }, 'operationId'],
    ['a timeout that is no number', { item, additionalItemsReadyTimeoutMs: '5s' }, 'additionalItemsReadyTimeoutMs'],
  ])('with %s is refused by field, without a value', (_title, answer, field) => {
    const attempt = (): unknown => checkOutput('example.com/a', answer);
    expect(attempt).toThrow(`${field} in the output of action example.com/a: expected `);
    expect(attempt).not.toThrow(/never-told/);
  });

  it('with a negative timeout is a warning, and the default counts', () => {
    const answer = { item, additionalItems: [], skipRestore: false, additionalItemsReadyTimeoutMs: -5_000 };
    expect(checkOutput('example.com/a', answer)).toEqual({
      output: { item, additionalItems: [], skipRestore: false },
      warnings: [expect.stringContaining('additionalItemsReadyTimeout of action example.com/a is negative (-5000 ms)')],
    });
  });
});

describe('names of actions (plugin-protocol.md §5)', () => {
  it.each(['velero.io/pod', 'prefix/Uppercase_Is_OK_123', '1.2.3.4/5678'])('%s', (name) => {
    expect(() => {
      checkActionName(name);
    }).not.toThrow();
  });

  it.each(['', 'pod', 'a/b/c', '/pod', 'velero.io/', 'Velero.io/pod', '-a/b', `${'a'.repeat(254)}/b`])(
    'refuses %j',
    (name) => {
      expect(() => {
        checkActionName(name);
      }).toThrow(expect.objectContaining({ type: 'ActionNameInvalid' }));
    },
  );
});
