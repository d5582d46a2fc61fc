/** What one needs to write a restore item action (docs/plugins.md): `durable-restore/actions`. */
export { getArray, getIn, getObject, getString, getStringMap, type Json, type JsonObject, setIn } from '../json.ts';
export { mapNamespace } from '../plan/mapNamespace.ts';
export type { Restore } from '../restore/restore.ts';
export type {
  ActionCluster,
  OperationProgress,
  ResourceIdentifier,
  ResourceSelector,
  RestoreItemAction,
  RestoreItemActionContext,
  RestoreItemActionInput,
  RestoreItemActionOutput,
} from './action.ts';
export { RestoreItemActionExecuteOutput } from './executeOutput.ts';
