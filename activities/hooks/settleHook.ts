import type { HookActivities } from '../../domain/hooks/hookContract.ts';
import { unknownText } from '../../domain/hooks/hookOutcome.ts';
import { runActivity } from '../activity.ts';
import type { HookSessions } from './hookSessions.ts';

/** Says what became of a hook whose activity failed: what is on record, else unknown where the command may have run. */
export function settleHook(sessions: HookSessions): HookActivities['settleHook'] {
  return ({ ref, index, hook: number, reason }) =>
    runActivity(async () => {
      const { hooks } = await sessions.get(ref);
      const known = await hooks.readOutcome(index, number);
      if (known !== undefined) return { outcome: known };
      if (!(await hooks.isStarted(index, number))) return { notStarted: true };
      const pod = await hooks.readPod(index);
      const hook = pod.hooks[number];
      if (hook === undefined) throw new Error(`pod ${pod.namespace}/${pod.name} has no hook ${number}`);
      const message = unknownText(hook, reason);
      const at = new Date().toISOString();
      return { outcome: await hooks.recordOutcome(index, { number, status: 'unknown', message, at }) };
    });
}
