export type { RestoreInput, RestoreOptions, RestoreProgress, RestoreResult, WaveProgress } from '../domain/contract.ts';
export { defaultRestoreOptions, restoreWorkflowId, searchAttributes, taskQueueFor } from '../domain/contract.ts';
export type { Pace } from '../domain/pace.ts';
export type { Restore, RestorePhase, RestoreSpec, RestoreStatus } from '../domain/restore/restore.ts';
export { parseRestoreManifest, type RestoreManifest, RestoreManifestError } from '../domain/restore/restoreManifest.ts';
export { connectTemporal } from './connectTemporal.ts';
export * from './errors.ts';
export type { ListOptions } from './listRestores.ts';
export type { RestoreProgressReport } from './progress.ts';
export {
  RestoreClient,
  type RestoreClientOptions,
  type RestoreConnectOptions,
} from './restoreClient.ts';
export type { RestoreDescription } from './restoreDescription.ts';
export { RestoreHandle, type RestoreIdentity } from './restoreHandle.ts';
export { requestHash, type StartOptions } from './restoreRequest.ts';
export { loadTemporalConfig, type TemporalConfig, type TemporalConfigOptions } from './temporalConfig.ts';
export type { ResultOptions } from './waitForResult.ts';
