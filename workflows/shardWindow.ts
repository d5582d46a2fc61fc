import { defineSignal } from '@temporalio/workflow';
import { signalNames } from '../domain/contract.ts';

/** Tells a shard how many activities it may have in flight. */
export const windowSignal = defineSignal<[number]>(signalNames.window);
