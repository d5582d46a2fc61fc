import { Context } from '@temporalio/activity';
import type { Activities, SettleVolumesResult } from '../../domain/contract.ts';
import type { Message } from '../../domain/results/outcome.ts';
import { pause, runActivity } from '../activity.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { Sessions } from '../session.ts';
import { GroupSnapshotStubs } from './groupSnapshotStubs.ts';
import { PodVolumeWaits } from './podVolumeWaits.ts';
import { VolumePatches } from './volumePatches.ts';

/** Velero looks this often. */
const POLL_MS = 10_000;
/** An activity that runs for hours is seen badly: the workflow calls again. */
const ROUND_MS = 10 * 60_000;

/** Work that goes on after items are restored, looked at again and again until none of it is left. */
export interface VolumeWork {
  /** One look. Appends what ended to `messages`. @returns what is still awaited. */
  look(messages: Message[]): Promise<readonly string[]>;
}

/**
 * Waits for what goes on with volumes after their items are restored (spec restore-pipeline.md §21, §27): node agents that bring back volumes of pods; then
 * volumes that were provisioned anew, which get policy and labels of the old ones; stubs of group snapshots, which go when they have served. Every wait has a limit.
 * What ends badly is kept in the work store, where `finalize` finds it. Returns after ten minutes at the latest; called again it goes on.
 */
export function settleVolumes(dependencies: ActivityDependencies, sessions: Sessions): Activities['settleVolumes'] {
  return ({ ref }) => {
    let awaited: readonly string[] = [];
    const body = async (): Promise<SettleVolumesResult> => {
      const { kubernetes } = dependencies;
      const work = await sessions.workStore(ref);
      const record = await work.readRecord();
      const store = await dependencies.openStore(ref.storageLocation);
      const known = (await work.readSettledVolumes()) ?? { messages: [] };
      const messages: Message[] = [...known.messages];
      const seen = new Set(messages.map(({ text }) => text));
      const { cancellationSignal } = Context.current();
      const until = Date.now() + ROUND_MS;
      let ended = known.podVolumesEnded;
      const podVolumes = new PodVolumeWaits(kubernetes, record);

      const finishing = (since: string): VolumeWork[] => [
        new VolumePatches({ kubernetes, record, work, store, sinceMs: Date.parse(since) }),
        new GroupSnapshotStubs(kubernetes, record, Date.parse(since)),
      ];
      let later: VolumeWork[] = ended === undefined ? [] : finishing(ended);
      while (!cancellationSignal.aborted) {
        const found: Message[] = [];
        awaited = ended === undefined ? await podVolumes.look(found) : (await lookAll(later, found)).flat();
        const added = found.filter(({ text }) => !seen.has(text));
        for (const message of added) seen.add(message.text);
        messages.push(...added);
        const turns = ended === undefined && awaited.length === 0;
        if (turns) {
          ended = new Date().toISOString();
          later = finishing(ended);
        }
        if (turns || added.length > 0) await work.writeSettledVolumes({ podVolumesEnded: ended, messages });
        if (turns) continue;
        if (awaited.length === 0 || Date.now() > until) break;
        await pause(POLL_MS);
      }
      return { pending: awaited.length, awaited: awaited[0] };
    };
    return runActivity(body, () => ({ pending: awaited.length, awaited: awaited[0] }));
  };
}

function lookAll(works: readonly VolumeWork[], messages: Message[]): Promise<(readonly string[])[]> {
  return Promise.all(works.map((work) => work.look(messages)));
}
