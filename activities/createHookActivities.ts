import type { HookActivities } from '../domain/hooks/hookContract.ts';
import { type HookDependencies, HookSessions } from './hooks/hookSessions.ts';
import { runHook } from './hooks/runHook.ts';
import { settleHook } from './hooks/settleHook.ts';
import { waitForHookContainer } from './hooks/waitForHookContainer.ts';

/** What the two workers of hooks register. */
export interface HookWorkerActivities {
  readonly commands: Pick<HookActivities, 'runHook'>;
  readonly waits: Pick<HookActivities, 'waitForHookContainer' | 'settleHook'>;
}

/** Builds the activities of hooks; the only way to have them. */
export function createHookActivities(dependencies: HookDependencies): HookWorkerActivities {
  const sessions = new HookSessions(dependencies);
  return {
    commands: { runHook: runHook(dependencies, sessions) },
    waits: {
      waitForHookContainer: waitForHookContainer(dependencies, sessions),
      settleHook: settleHook(sessions),
    },
  };
}
