/** Entry of a worker process of the benchmark: its configuration comes as JSON in the first argument; tells its memory peak at the end. */
import { startWorker, type WorkerConfig } from '../../worker/index.ts';

const config = JSON.parse(process.argv[2] ?? '{}') as WorkerConfig;
const worker = await startWorker(config);
process.once('SIGTERM', () => {
  worker.shutdown();
});
process.send?.({ ready: true });
await worker.run();
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
process.send?.({ peakMiB: Math.round(maxRSS / 1024), cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 }, () => {
  process.exit(0);
});
