import type { RestoreRecord } from '../../domain/contract.ts';
import { isPortAlreadyAllocated } from '../../domain/item/alreadyExists.ts';
import { decideExisting, type ExistingDecision } from '../../domain/item/existingObject.ts';
import {
  createManager,
  FIELD_MANAGER,
  finalManagedFields,
  hasManager,
  recognise,
} from '../../domain/item/fieldManager.ts';
import { ItemError } from '../../domain/item/itemError.ts';
import { createMergePatch } from '../../domain/item/mergePatch.ts';
import { type PreparedItem, resourceId } from '../../domain/item/prepareItem.ts';
import { getIn, getString, type JsonObject, setIn } from '../../domain/json.ts';
import type { ApiFailure, ApiResult, KubernetesApi, ObjectLocation } from '../../domain/kubernetes/api.ts';
import { isNotServed } from '../../domain/kubernetes/notServed.ts';
import type { PlanEntry } from '../../domain/plan/planEntry.ts';
import { RESTORE_NAME_LABEL } from '../../domain/restore/labels.ts';
import { itemScope, type Message, type Outcome } from '../../domain/results/outcome.ts';
import { locateObject } from './locateObject.ts';
import { MustWait, type Patience, settle } from './settle.ts';
import type { SharedItems } from './sharedItems.ts';

/** What the attempt knows of earlier ones. */
export interface AttemptFacts {
  readonly retried: boolean;
  /** No earlier attempt can have left an object unfinished. */
  readonly firstAttempt?: boolean | undefined;
  /** Whether an earlier run, before a reset of the workflow, recorded `created`; asked only where the object exists. */
  readonly wasRecordedAsCreated: () => Promise<boolean>;
  /** An earlier attempt was about to update the existing object. */
  readonly updateWasIntended: boolean;
  /** Where several activities may restore the same item at the same time. */
  readonly shared?: SharedItems | undefined;
  /** Tells later attempts that this one is about to update the existing object. */
  readonly intendUpdate: () => void;
}

type Result = Omit<Outcome, 'index' | 'at'>;

/** One item against the API server; the calls of spec restore-pipeline.md §11 steps 14-17 and §18-§20. */
export class ObjectRestore {
  /** The object as it was found to be this restore's creation. */
  createdObject: JsonObject | undefined;
  private readonly kubernetes: KubernetesApi;
  private readonly record: RestoreRecord;
  private readonly entry: PlanEntry;
  private readonly prepared: PreparedItem;
  private readonly facts: AttemptFacts;
  private readonly patience: Patience;

  constructor(options: {
    readonly kubernetes: KubernetesApi;
    readonly record: RestoreRecord;
    readonly entry: PlanEntry;
    readonly prepared: PreparedItem;
    readonly facts: AttemptFacts;
    readonly patience: Patience;
  }) {
    this.kubernetes = options.kubernetes;
    this.record = options.record;
    this.entry = options.entry;
    this.prepared = options.prepared;
    this.facts = options.facts;
    this.patience = options.patience;
  }

  private get manager(): string {
    return createManager(this.record.restore.uid, this.entry.index);
  }

  /**
   * Creates the object, or does with an existing one what recognition and policy say.
   * @throws what {@link settle} throws.
   */
  async run(): Promise<Result> {
    const name = getString(this.prepared.object, ['metadata', 'name']) ?? '';
    let location: ObjectLocation;
    try {
      if (name === '') throw new ItemError('metadata.name: expected a text, it is missing');
      location = { ...(await locateObject(this.kubernetes, this.entry, this.prepared.object)), name };
    } catch (error) {
      if (error instanceof ItemError) return this.failed(`error restoring ${resourceId(this.entry)}: ${error.message}`);
      throw error;
    }
    let created: ApiResult;
    try {
      created = await this.create(location);
    } catch (error) {
      // JSON nested more deeply than can be written.
      if (error instanceof RangeError)
        return this.failed(`error restoring ${resourceId(this.entry)}: ${error.message}`);
      throw error;
    }
    if (!created.ok) return this.createFailed(location, created);
    this.createdObject = created.object;
    return this.finish(location, created.object, []);
  }

  private async create(location: ObjectLocation): Promise<ApiResult> {
    const served = await this.kubernetes.discover();
    const isServed = served.forGroupResource(location) !== undefined;
    // A definition that is just established may be unknown to one of several API servers for a moment.
    const notServedYet = (failure: ApiFailure): boolean => isServed && isNotServed(failure);
    // Only the status is written with the whole object.
    // Hooks are chosen by what webhooks have made of a pod.
    const metadataOnly = this.prepared.status === undefined && this.entry.groupResource !== 'pods';
    const create = (): Promise<ApiResult> =>
      this.kubernetes.create(location, this.prepared.object, { fieldManager: this.manager, metadataOnly });
    return settle(this.kubernetes, this.patience, create, { isTransient: notServedYet });
  }

  /** Whatever the create said: where an object of that name is there, it is the existing object (§18 step 3). */
  private async createFailed(location: ObjectLocation, failure: ApiFailure): Promise<Result> {
    const exists =
      failure.reason === 'AlreadyExists' ||
      isPortAlreadyAllocated(failure, getString(this.prepared.object, ['kind']) ?? '');
    const looked = await settle(this.kubernetes, this.patience, () => this.kubernetes.get(location), {
      retriesServerErrors: failure.status < 500,
    });
    if (looked.ok) return this.reconcile(location, looked.object);
    if (failure.reason === 'AlreadyExists') {
      return this.ended('failed', 'exists', [this.message('warning', looked.message)]);
    }
    if (exists && looked.status !== 404)
      return this.failed(`error restoring ${resourceId(this.entry)}: ${looked.message}`);
    return this.failed(
      `error restoring ${resourceId(this.entry, location.name)}: ${failure.message}${await this.hint(location, failure)}`,
    );
  }

  /** Velero leaves its user alone with this one; golden README, surprise 3. */
  private async hint(location: ObjectLocation, failure: ApiFailure): Promise<string> {
    if (!isNotServed(failure)) return '';
    const { group, resource } = location;
    const served = (await this.kubernetes.discover()).groups.some((known) => known.group === group);
    if (group === '' || !group.includes('.')) return '';
    return served
      ? ` (the API server serves ${group}, but not this resource or version)`
      : ` (CustomResourceDefinition ${resource}.${group} is not in the cluster; if the backup has it, select it too: includeClusterResources=true, or includedResources with customresourcedefinitions)`;
  }

  private async reconcile(location: ObjectLocation, live: JsonObject): Promise<Result> {
    const { restore, since } = this.record;
    const ownership = recognise(live, {
      restoreUid: restore.uid,
      index: this.entry.index,
      since,
      recordedAsCreated: await this.facts.wasRecordedAsCreated(),
      // The label is no mark of a create where an earlier attempt meant to write it to an object that was there.
      retried: this.facts.retried && !this.facts.updateWasIntended,
      restoreNameLabel: this.prepared.labels[RESTORE_NAME_LABEL] ?? '',
    });
    if (ownership === 'unfinished' || ownership === 'finished') this.createdObject = live;
    if (ownership === 'unfinished') return this.finishUnlessAnother(location, live);
    if (ownership === 'finished') return this.created([]);

    let decision: ExistingDecision;
    try {
      const policy = restore.spec.existingResourcePolicy === 'update' ? 'update' : 'none';
      decision = decideExisting(live, this.prepared.object, this.prepared.labels, policy);
    } catch (error) {
      if (error instanceof ItemError) return this.ended('failed', 'exists', [this.message('warning', error.message)]);
      throw error;
    }
    return this.apply(location, decision);
  }

  /**
   * The object was made for this item. By another activity that is still at it, perhaps, because several items asked for this one:
   * that one is let end first (design §3).
   */
  private async finishUnlessAnother(location: ObjectLocation, live: JsonObject): Promise<Result> {
    const { shared, firstAttempt } = this.facts;
    if (shared === undefined || firstAttempt !== true) return this.finish(location, live, []);
    if (!this.patience.mayWait) throw new MustWait('the item is being restored by another activity');
    const left = await shared.awaitFinished(location, this.manager, this.patience);
    return left === undefined ? this.created([]) : this.finish(location, left, []);
  }

  private async apply(location: ObjectLocation, decision: ExistingDecision): Promise<Result> {
    const isEqual = decision.kind === 'equal' || decision.kind === 'labels';
    // Where an earlier attempt meant to update, that update is what made them equal.
    if (isEqual && this.facts.updateWasIntended) return this.ended('updated', undefined, []);
    switch (decision.kind) {
      case 'equal':
        return this.ended('skipped', 'equal', []);
      case 'differs': {
        const { kind, name } = this.entry;
        const text = `could not restore, ${kind}:${name} already exists. Warning: the in-cluster version is different than the backed-up version`;
        return this.ended('skipped', 'differs', [this.message('warning', text)]);
      }
      case 'labels':
        return this.patchLabels(location, decision.labels, []);
      case 'update':
      case 'mergeServiceAccount': {
        this.facts.intendUpdate();
        const patched = await this.patch(location, decision.patch);
        if (patched.ok) return this.ended('updated', undefined, []);
        const warning = this.message('warning', patched.message);
        if (decision.labels === undefined) return this.ended('failed', 'refused', [warning]);
        return this.patchLabels(location, decision.labels, [warning]);
      }
    }
  }

  private async patchLabels(
    location: ObjectLocation,
    labels: JsonObject,
    messages: readonly Message[],
  ): Promise<Result> {
    const patched = await this.patch(location, labels);
    if (patched.ok) return this.ended(messages.length > 0 ? 'failed' : 'skipped', 'labelsOnly', messages);
    return this.ended('failed', 'refused', [...messages, this.message('error', patched.message)]);
  }

  private patch(location: ObjectLocation, patch: JsonObject): Promise<ApiResult> {
    return settle(this.kubernetes, this.patience, () =>
      this.kubernetes.patch(location, patch, { type: 'merge', fieldManager: FIELD_MANAGER, metadataOnly: true }),
    );
  }

  /** Status, then managedFields: only while the create manager is there, and the last write removes it (design §3). */
  private async finish(location: ObjectLocation, live: JsonObject, earlier: readonly Message[]): Promise<Result> {
    const messages = [...earlier];
    let current = live;
    if (this.prepared.status !== undefined && hasManager(live, this.manager)) {
      const result = await this.restoreStatus(location, live);
      if (result.ok) current = result.object;
      else messages.push(this.message('warning', result.message));
    }
    const managedFields = finalManagedFields(
      getIn(this.prepared.object, ['metadata', 'managedFields']),
      current,
      this.manager,
    );
    const patch = managedFields === undefined ? undefined : createMergePatch({}, { metadata: { managedFields } });
    if (patch !== undefined) {
      const patched = await this.patch(location, patch);
      if (!patched.ok) messages.push(this.message(patched.status === 404 ? 'warning' : 'error', patched.message));
    }
    return this.created(messages, getString(live, ['metadata', 'name']));
  }

  /** UpdateStatus with the version that was created; a conflict is settled by the current version (§19). */
  private async restoreStatus(location: ObjectLocation, live: JsonObject): Promise<ApiResult> {
    let current = live;
    for (let attempt = 1; ; attempt++) {
      const withStatus = setIn(current, ['status'], this.prepared.status ?? null);
      const result = await settle(this.kubernetes, this.patience, () =>
        this.kubernetes.replace(location, withStatus, { fieldManager: FIELD_MANAGER, subresource: 'status' }),
      );
      if (result.ok || result.reason !== 'Conflict' || attempt === 5) return result;
      const refreshed = await settle(this.kubernetes, this.patience, () => this.kubernetes.get(location));
      if (!refreshed.ok) return refreshed;
      current = refreshed.object;
    }
  }

  private created(messages: readonly Message[], name?: string): Result {
    const result = this.ended('created', undefined, messages);
    return name === undefined || name === this.entry.name ? result : { ...result, createdName: name };
  }

  private failed(text: string): Result {
    return this.ended('failed', 'refused', [this.message('error', text)]);
  }

  private ended(action: Outcome['action'], reason: Outcome['reason'], messages: readonly Message[]): Result {
    return {
      action,
      ...(reason === undefined ? {} : { reason }),
      tracked: true,
      ...(messages.length > 0 ? { messages } : {}),
    };
  }

  private message(level: Message['level'], text: string): Message {
    return { level, scope: itemScope(this.entry.targetNamespace), text };
  }
}
