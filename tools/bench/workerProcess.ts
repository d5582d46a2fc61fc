/** Entry of a worker process of the benchmark: its configuration comes as JSON in the first argument; tells its memory peak at the end. */
import type { RunningWorker, WorkerConfig } from '../../worker/index.ts';

const config = JSON.parse(process.argv[2] ?? '{}') as WorkerConfig;
// What people run is measured: the build, with its prebuilt workflow bundle.
const built = new URL('../../dist/worker/index.js', import.meta.url).href;
const { startWorker } = (await import(built)) as { startWorker: (config: WorkerConfig) => Promise<RunningWorker> };
const worker = await startWorker(config);
process.once('SIGTERM', () => {
  worker.shutdown();
});
// The benchmark is gone: nobody would stop this worker.
process.once('disconnect', () => {
  process.exit(1);
});
process.send?.({ ready: true });
await worker.run();
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
process.send?.({ peakMiB: Math.round(maxRSS / 1024), cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 }, () => {
  process.exit(0);
});
