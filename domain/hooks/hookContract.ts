/** What workflows, activities and workers share about hooks. Types and constants only, because workflow code imports it. */
import type { RestoreRef } from '../contract.ts';
import type { OnError } from './hook.ts';
import type { HookOutcome } from './hookOutcome.ts';

/** Commands in pods have workers of their own, so that they neither wait behind items nor keep items waiting. */
export function hookTaskQueue(mainTaskQueue: string): string {
  return `${mainTaskQueue}/hooks`;
}

/** Waiting for containers is never bounded: a pod may wait for what another one's hook does. */
export function hookWaitTaskQueue(mainTaskQueue: string): string {
  return `${mainTaskQueue}/hook-waits`;
}

/** Shards tell the restore which pods with hooks they have created. */
export const HOOK_PODS_SIGNAL = 'hookPods';

/** `type` of the failure of a pod's hooks that ends all hooks of its restore. */
export const HOOK_FAILED = 'HookFailed';

/** A restored pod with hooks, as it travels through history. */
export interface HookPod {
  /** Plan index. */
  readonly index: number;
  /** `shop/db-0`. */
  readonly pod: string;
  /** How many. */
  readonly hooks: number;
}

export interface PodHooksInput {
  readonly ref: RestoreRef;
  readonly pod: HookPod;
}

export interface HookBatchInput {
  readonly ref: RestoreRef;
  readonly pods: readonly HookPod[];
}

/** How many hooks have come to an end, and how many of those failed. */
export interface HookCounts {
  readonly done: number;
  readonly failed: number;
}

/** A command whose turn it is. */
export interface HookTask {
  /** Place among the pod's hooks. */
  readonly number: number;
  readonly name: string;
  readonly onError: OnError;
  readonly execTimeoutMs: number;
}

export interface WaitForHookContainerInput {
  readonly ref: RestoreRef;
  readonly index: number;
  /** Containers whose hooks have come to an end. */
  readonly ended: readonly string[];
}

/** What the wait has come to. Without `up` and with nothing `ended` there is nothing left. */
export interface HookWait {
  /** The container whose hooks are to run now. */
  readonly up?: { readonly container: string; readonly hooks: readonly HookTask[] } | undefined;
  /** Containers whose hooks will not run. */
  readonly ended: readonly string[];
  /** Hooks of those containers. */
  readonly missed: number;
  /** Message of the first of them that ends all hooks of the restore. */
  readonly failure?: string | undefined;
}

export interface RunHookInput {
  readonly ref: RestoreRef;
  readonly index: number;
  readonly hook: number;
}

export interface SettleHookInput extends RunHookInput {
  /** Why nobody knows how the hook ended. */
  readonly reason: string;
}

/** `notStarted`: the command has not run and may be tried again. */
export type SettledHook = { readonly outcome: HookOutcome } | { readonly notStarted: true };

/** The activities of hooks; `activities/createHookActivities.ts` builds them. */
export interface HookActivities {
  waitForHookContainer(input: WaitForHookContainerInput): Promise<HookWait>;
  /** Runs a command, once: it has one attempt, and a mark in the work store. */
  runHook(input: RunHookInput): Promise<HookOutcome>;
  /** What is on record of a hook whose worker was lost. */
  settleHook(input: SettleHookInput): Promise<SettledHook>;
}
