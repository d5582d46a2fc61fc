import { parseApiVersion } from '../kubernetes/groupResource.ts';
import { STRATEGIC_MERGE_KINDS, STRATEGIC_MERGE_TYPES } from './strategicMergeTable.ts';
import { StrategicMergeError } from './strategicMergeValues.ts';

interface MergeField {
  /** `merge`, `replace` or empty. `retainKeys` matters only to those who make patches. */
  readonly strategy: string;
  /** Merge key of a list of maps; empty for lists of scalars. */
  readonly key: string;
  /** Of the field, or of the list's entries. */
  readonly schema: MergeSchema;
}

/** What a type's fields say about merging. */
export interface MergeSchema {
  field(name: string): MergeField;
}

/** Objects of these groups have typed clients in Velero, but no merge keys except those of their metadata. */
const ONLY_METADATA = new Set(['velero.io', 'snapshot.storage.k8s.io', 'groupsnapshot.storage.k8s.io']);
const OBJECT_META = 'meta.v1.ObjectMeta';

/**
 * Merge keys of a kind. Velero knows those of core/v1, apps/v1, batch/v1, the snapshot groups and its own; here all kinds are known that are built into
 * Kubernetes.
 * @throws StrategicMergeError `unknownKind` for any other, with Velero's text.
 */
export function schemaOfKind(apiVersion: string, kind: string): MergeSchema {
  const name = `${apiVersion} ${kind}`;
  const type = Object.hasOwn(STRATEGIC_MERGE_KINDS, name) ? STRATEGIC_MERGE_KINDS[name] : undefined;
  if (type !== undefined) return schemaOfType(type);
  if (ONLY_METADATA.has(parseApiVersion(apiVersion).group)) {
    return {
      field: (field) => ({
        strategy: '',
        key: '',
        schema: schemaOfType(field === 'metadata' ? OBJECT_META : undefined),
      }),
    };
  }
  throw new StrategicMergeError(
    'unknownKind',
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}: strategic merge patches are for built-in kinds, use mergePatches`,
  );
}

function schemaOfType(type: string | undefined): MergeSchema {
  const fields =
    type !== undefined && Object.hasOwn(STRATEGIC_MERGE_TYPES, type) ? STRATEGIC_MERGE_TYPES[type] : undefined;
  return {
    field: (name) => {
      const field = fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
      const strategies = (field?.strategy ?? '').split(',');
      return {
        strategy: strategies.find((one) => one !== 'retainKeys') ?? '',
        key: field?.key ?? '',
        schema: schemaOfType(field?.type),
      };
    },
  };
}
