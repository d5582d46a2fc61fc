import type { JsonObject } from '../json.ts';
import { ActionError } from './actionError.ts';

/**
 * What an action may write to the target cluster beside its item. What it makes has a deterministic name (domain/volumes/deterministicName.ts), so that
 * doing it again is harmless. Every method throws for a refusal of the API server.
 */
export interface ActionObjects {
  /** Creates the object, or gives the one that has its name. `resource` is `plural.group`. */
  create(resource: string, namespace: string | undefined, object: JsonObject): Promise<JsonObject>;
  /** Applies a JSON merge patch. */
  patch(
    resource: string,
    namespace: string | undefined,
    name: string,
    patch: JsonObject,
    subresource?: 'status',
  ): Promise<void>;
  /** Reads the object itself, never a remembered answer. */
  get(resource: string, namespace: string | undefined, name: string): Promise<JsonObject | undefined>;
  /**
   * Reference to the Restore object that owns what node agents work on: it is there, or made in phase `InProgress` where Velero's definitions are (design §2).
   * Its uid is what node agents take for the restore's.
   */
  owner(): Promise<JsonObject>;
  /** The backup's PodVolumeBackups, from its file; none where filters leave out claims or volumes, for then nothing is restored into them. */
  podVolumeBackups(): Promise<readonly JsonObject[]>;
}

/** @throws ActionError where the worker gave the action no way to write. */
export function requireObjects(objects: ActionObjects | undefined, action: string): ActionObjects {
  if (objects !== undefined) return objects;
  throw new ActionError('ActionUnknown', `action ${action} cannot write to the cluster here`);
}
