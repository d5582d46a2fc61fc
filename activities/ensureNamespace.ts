import { activityInfo } from '@temporalio/activity';
import { ArchiveError } from '../adapters/storage/archiveError.ts';
import type { Activities } from '../domain/contract.ts';
import {
  createManager,
  FIELD_MANAGER,
  finalManagedFields,
  hasManager,
  recognise,
} from '../domain/item/fieldManager.ts';
import { resetMetadata, resetStatus } from '../domain/item/resetMetadata.ts';
import { getIn, getString, type JsonObject, setIn, withoutKeys } from '../domain/json.ts';
import type { KubernetesApi, ObjectLocation } from '../domain/kubernetes/api.ts';
import type { PlanEntry } from '../domain/plan/planEntry.ts';
import type { Message, Outcome } from '../domain/results/outcome.ts';
import { pause, runActivity } from './activity.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { settle } from './item/settle.ts';
import type { Session, Sessions } from './session.ts';

const POLL_INTERVAL_MS = 1_000;
const patient = { mayWait: true };

/**
 * Makes sure that a target namespace is there and not going away (spec restore-pipeline.md §10). One that exists is left as it is,
 * whatever the policy; one that is being deleted is waited for up to the terminating-resource timeout, once per namespace. An
 * error is Velero's, not the namespace's.
 */
export function ensureNamespace(
  { kubernetes }: ActivityDependencies,
  sessions: Sessions,
): Activities['ensureNamespace'] {
  return ({ ref, index }) =>
    runActivity(async () => {
      const session = await sessions.get(ref);
      return ensureEntry(kubernetes, session, await session.work.readPlanEntry(index));
    });
}

/** As {@link ensureNamespace}, for a namespace that comes along with an additional item, too. */
export async function ensureEntry(kubernetes: KubernetesApi, session: Session, entry: PlanEntry): Promise<Outcome> {
  const { index } = entry;
  const name = entry.targetName ?? entry.name;
  const location: ObjectLocation = { group: '', version: 'v1', resource: 'namespaces', name };
  const namespace = await template(session, entry, name);
  const manager = createManager(session.record.restore.uid, index);
  const deadline = Date.now() + session.record.options.terminatingResourceTimeoutMs;

  for (;;) {
    const created = await settle(kubernetes, patient, () =>
      kubernetes.create(location, namespace, { fieldManager: manager }),
    );
    if (created.ok) return await finish(kubernetes, location, created.object, manager, index);
    if (created.reason !== 'AlreadyExists')
      return failed(index, `error creating namespace ${name}: ${created.message}`);

    const found = await settle(kubernetes, patient, () => kubernetes.get(location));
    if (!found.ok && found.status !== 404) return failed(index, `error getting namespace ${name}: ${found.message}`);
    if (found.ok && !isTerminating(found.object)) {
      const { restore, since } = session.record;
      const ownership = recognise(found.object, {
        restoreUid: restore.uid,
        index,
        since,
        recordedAsCreated: false,
        retried: false,
        restoreNameLabel: '',
      });
      if (ownership !== 'foreign') return await finish(kubernetes, location, found.object, manager, index);
      const isOurs = activityInfo().attempt > 1 && isFinished(found.object, since);
      return isOurs
        ? outcome(index, 'created', { tracked: true })
        : outcome(index, 'skipped', { reason: 'exists', tracked: false });
    }
    if (Date.now() > deadline) {
      return failed(index, `timed out waiting for terminating namespace ${name} to disappear before restoring`);
    }
    await pause(POLL_INTERVAL_MS);
  }
}

function isTerminating(namespace: JsonObject): boolean {
  return (
    getIn(namespace, ['metadata', 'deletionTimestamp']) !== undefined ||
    getString(namespace, ['status', 'phase']) === 'Terminating'
  );
}

/**
 * What an attempt leaves whose last answer was lost: the namespace, under our plain manager. Namespaces carry no restore label by
 * which a later attempt could know them.
 */
function isFinished(namespace: JsonObject, since: string): boolean {
  const created = getString(namespace, ['metadata', 'creationTimestamp']);
  return created !== undefined && Date.parse(created) >= Date.parse(since) && hasManager(namespace, FIELD_MANAGER);
}

/** The backup's Namespace with its labels, annotations and spec; a bare one where the backup has none that can be read. */
async function template(session: Session, entry: PlanEntry, name: string): Promise<JsonObject> {
  const bare: JsonObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  try {
    const item = resetStatus(resetMetadata(await session.readItem(entry)));
    const named = setIn(item, ['metadata', 'name'], name);
    const metadata = getIn(named, ['metadata']);
    return setIn(named, ['metadata'], withoutKeys(metadata as JsonObject, ['managedFields']));
  } catch (error) {
    // That the backup cannot be read now says nothing about what it holds.
    if (error instanceof ArchiveError && error.retryable) throw error;
    return bare;
  }
}

/** Namespaces carry no restore labels and keep no trace of who made them but our plain field manager. */
async function finish(
  kubernetes: KubernetesApi,
  location: ObjectLocation,
  live: JsonObject,
  manager: string,
  index: number,
): Promise<Outcome> {
  const managedFields = finalManagedFields(undefined, live, manager);
  if (managedFields === undefined) return outcome(index, 'created', { tracked: true });
  const patched = await settle(kubernetes, patient, () =>
    kubernetes.patch(location, { metadata: { managedFields } }, { type: 'merge', fieldManager: FIELD_MANAGER }),
  );
  const messages: Message[] = patched.ok ? [] : [{ level: 'warning', scope: 'velero', text: patched.message }];
  return outcome(index, 'created', { tracked: true, ...(messages.length > 0 ? { messages } : {}) });
}

function outcome(
  index: number,
  action: Outcome['action'],
  rest: Pick<Outcome, 'tracked'> & Partial<Pick<Outcome, 'reason' | 'messages'>>,
): Outcome {
  return { index, action, ...rest, at: new Date().toISOString() };
}

function failed(index: number, text: string): Outcome {
  return outcome(index, 'failed', {
    reason: 'refused',
    tracked: false,
    messages: [{ level: 'error', scope: 'velero', text }],
  });
}
