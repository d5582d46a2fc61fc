import { Worker, type WorkerOptions } from '@temporalio/worker';
import { createHookActivities } from '../activities/createHookActivities.ts';
import type { HookDependencies } from '../activities/hooks/hookSessions.ts';
import { hookTaskQueue, hookWaitTaskQueue } from '../domain/hooks/hookContract.ts';

/** Commands that run in pods at a time, each over a connection of its own. */
const RUNNING_COMMANDS = 64;
/** As good as no bound: who waits may be waiting for somebody who waits. */
const WAITING_PODS = 100_000;

/** What all workers of a process have in common. */
export type SharedWorkerOptions = Pick<WorkerOptions, 'connection' | 'namespace' | 'workerDeploymentOptions'>;

/**
 * The workers of hooks: one for commands and one for waits, on task queues of their own (design §5). Items and hooks never wait for each
 * other's slots.
 * @param taskQueue of the items.
 */
export async function createHookWorkers(
  shared: SharedWorkerOptions,
  taskQueue: string,
  dependencies: HookDependencies,
): Promise<Worker[]> {
  const { commands, waits } = createHookActivities(dependencies);
  return [
    await Worker.create({
      ...shared,
      taskQueue: hookTaskQueue(taskQueue),
      activities: commands,
      maxConcurrentActivityTaskExecutions: RUNNING_COMMANDS,
      maxConcurrentActivityTaskPolls: 4,
      // The news that a hook is cancelled comes with a heartbeat, and is to come within a second.
      maxHeartbeatThrottleInterval: '1s',
      // A running command is let end: nobody can go on with it.
      shutdownGraceTime: '10m',
      shutdownForceTime: '11m',
    }),
    await Worker.create({
      ...shared,
      taskQueue: hookWaitTaskQueue(taskQueue),
      activities: waits,
      maxConcurrentActivityTaskExecutions: WAITING_PODS,
      maxConcurrentActivityTaskPolls: 4,
      // Another worker waits on.
      shutdownGraceTime: 0,
      shutdownForceTime: '30s',
    }),
  ];
}
