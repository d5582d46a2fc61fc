import { ApplicationFailure } from '@temporalio/common';
import { type ChildWorkflowHandle, defineUpdate, setHandler, type Workflow } from '@temporalio/workflow';
import { errorTypes, type RestoreOptions, updateNames } from '../domain/contract.ts';
import { normalPace, type Pace, sharesOf, whyNoMaxInFlight } from '../domain/pace.ts';
import { windowSignal } from './shardWindow.ts';

export const pauseUpdate = defineUpdate<Pace>(updateNames.pause);
export const resumeUpdate = defineUpdate<Pace>(updateNames.resume);
export const setMaxInFlightUpdate = defineUpdate<Pace, [number]>(updateNames.setMaxInFlight);

type TellableShard = Pick<ChildWorkflowHandle<Workflow>, 'signal'>;

/**
 * The pace of a restore: takes the updates `pause`, `resume` and `setMaxInFlight`, and tells each shard at work how many activities it
 * may have in flight. Waits and hooks go on while a restore is paused: they have begun.
 */
export class RestorePace {
  private pace: Pace = normalPace;
  private readonly window: number;
  private readonly shards: number;
  private readonly shardsAtWork = new Map<string, { told: number; shard?: TellableShard }>();

  /**
   * @param onChange told when the pace was changed.
   * @param whyNot why nothing can be changed any more; undefined while it can.
   */
  constructor(options: RestoreOptions, onChange: (pace: Pace) => void, whyNot: () => string | undefined) {
    this.window = options.window;
    this.shards = options.shards;
    const refuse = (why: string | undefined): void => {
      if (why !== undefined) throw ApplicationFailure.nonRetryable(why, errorTypes.PaceRefused);
    };
    const change = async (changed: Partial<Pace>): Promise<Pace> => {
      this.pace = { ...this.pace, ...changed };
      onChange(this.pace);
      await this.tellShards();
      return this.pace;
    };
    const validator = (): void => {
      refuse(whyNot());
    };
    setHandler(pauseUpdate, () => change({ paused: true }), { validator });
    setHandler(resumeUpdate, () => change({ paused: false }), { validator });
    setHandler(setMaxInFlightUpdate, (maxInFlight) => change({ maxInFlight }), {
      validator: (maxInFlight) => {
        refuse(whyNot() ?? whyNoMaxInFlight(maxInFlight));
        if (options.order === 'strict') refuse('a restore of strict order has one item in flight');
      },
    });
  }

  /** Shards that may be at work at a time. */
  get shardsAtOnce(): number {
    const { paused, maxInFlight } = this.pace;
    if (paused) return 0;
    return maxInFlight === 0 ? this.shards : Math.min(this.shards, maxInFlight);
  }

  /** Activities that the restore itself may have in flight. */
  get rootWindow(): number {
    return sharesOf(this.pace, 1, this.window)[0] ?? 0;
  }

  /** A shard is about to begin. @returns how many activities it may have in flight */
  begin(workflowId: string): number {
    this.shardsAtWork.set(workflowId, { told: 0 });
    const share = this.shares().get(workflowId) ?? 0;
    this.shardsAtWork.set(workflowId, { told: share });
    return share;
  }

  /** A shard has begun and can be told news. */
  async begun(workflowId: string, shard: TellableShard): Promise<void> {
    const known = this.shardsAtWork.get(workflowId);
    if (known !== undefined) known.shard = shard;
    await this.tellShards();
  }

  /** A shard has ended: its share is for the others. */
  async ended(workflowId: string): Promise<void> {
    this.shardsAtWork.delete(workflowId);
    await this.tellShards();
  }

  private shares(): Map<string, number> {
    const ids = [...this.shardsAtWork.keys()];
    const shares = sharesOf(this.pace, ids.length, this.window);
    return new Map(ids.map((id, position) => [id, shares[position] ?? 0]));
  }

  private async tellShards(): Promise<void> {
    const news: Promise<void>[] = [];
    for (const [id, share] of this.shares()) {
      const known = this.shardsAtWork.get(id);
      if (known?.shard === undefined || known.told === share) continue;
      known.told = share;
      news.push(tell(known.shard, share));
    }
    await Promise.all(news);
  }
}

/** A shard that has just ended needs no news. */
async function tell(shard: TellableShard, share: number): Promise<void> {
  try {
    await shard.signal(windowSignal, share);
  } catch {
    return;
  }
}
