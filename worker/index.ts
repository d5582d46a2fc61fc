export { openObjectStore as openStorageLocation } from '../adapters/storage/openStore.ts';
export * from '../domain/actions/index.ts';
export type { LogLevel, TemporalConnection, WorkerConfig } from './config.ts';
export { type RunningWorker, startWorker } from './startWorker.ts';
