import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { WorkflowService } from '@temporalio/client';
import type { RestoreHandle } from '../../client/index.ts';
import { getArray, getString } from '../../domain/json.ts';
import { makeBackup } from './support/backupBucket.ts';
import { type Environment, startEnvironment } from './support/environment.ts';
import { expectSoundHistories } from './support/histories.ts';
import { configMap, locationOf, namespace } from './support/objects.ts';
import { type EndedRestore, endOf, startRestore } from './support/restore.ts';

jest.setTimeout(240_000);

/** A number of 64 bits, as Temporal gives it. */
type EventId = NonNullable<ResetRequest['workflowTaskFinishEventId']>;
type ResetRequest = Parameters<WorkflowService['resetWorkflowExecution']>[0];

const TARGET = 'reset';
const names = Array.from({ length: 60 }, (_, position) => `item-${String(position).padStart(2, '0')}`);
/** Changed by somebody after it was restored: with policy `update` a restore that took it for another's would undo that. */
const changed = configMap(TARGET, 'item-30', { data: { by: 'a controller' } });

let environment: Environment;
let handle: RestoreHandle;
let first: EndedRestore;
let objects: string[];
let points: EventId[];

/** Every ConfigMap with its version: whatever touches an object changes that. */
async function versions(): Promise<string[]> {
  const listed = await environment.cluster.api.list(locationOf(configMap(TARGET, '')));
  const items = listed.ok ? (getArray(listed.object, ['items']) ?? []) : [];
  return items.map(
    (item) =>
      `${getString(item, ['metadata', 'name']) ?? ''} ${getString(item, ['metadata', 'resourceVersion']) ?? ''}`,
  );
}

/** Ids of the events to which the restore's first run can be reset. */
async function resetPoints(workflowId: string): Promise<EventId[]> {
  const { events } = await environment.temporal.workflow.getHandle(workflowId).fetchHistory();
  const completed = (events ?? []).filter(
    ({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes,
  );
  return completed.flatMap(({ eventId }) => eventId ?? []);
}

async function reset(workflowId: string, runId: string, workflowTaskFinishEventId: EventId): Promise<void> {
  await environment.temporal.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId },
    reason: 'tried by a test',
    workflowTaskFinishEventId: workflowTaskFinishEventId,
    requestId: randomUUID(),
  });
}

beforeAll(async () => {
  environment = await startEnvironment();
  const { bucket, cluster } = environment;
  await makeBackup(bucket, TARGET, [namespace(TARGET), ...names.map((name) => configMap(TARGET, name))]);
  const spec = { backupName: TARGET, existingResourcePolicy: 'update' } as const;
  handle = await startRestore(environment, spec, { name: TARGET });
  first = await endOf(environment, handle);
  await cluster.patch(changed, { data: { by: 'a controller' } });
  objects = await versions();
  points = await resetPoints(first.workflowId);
}, 1_200_000);

afterAll(async () => {
  await environment.stop();
});

describe('a restore with policy update that is reset after its end', () => {
  it('has restored everything before', () => {
    expect(first.status.phase).toBe('Completed');
    expect(objects).toHaveLength(names.length);
    expect(points.length).toBeGreaterThanOrEqual(5);
  });

  it('knows its objects again from whatever point it goes on, and touches none', async () => {
    const { runId } = await environment.temporal.workflow.getHandle(first.workflowId).describe();
    for (const point of points) {
      await reset(first.workflowId, runId, point);
      await environment.temporal.workflow.getHandle(first.workflowId).result();
      const ended = await endOf(environment, handle);
      expect({ point: String(point), phase: ended.status.phase, counters: ended.counters }).toEqual({
        point: String(point),
        phase: 'Completed',
        counters: first.counters,
      });
      expect(ended.resourceList).toEqual(first.resourceList);
      expect(await versions()).toEqual(objects);
    }
  });

  it('leaves histories that replay', async () => {
    await expectSoundHistories(environment);
  });
});
