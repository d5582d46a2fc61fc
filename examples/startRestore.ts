// Starts a restore and follows it: npx tsx examples/startRestore.ts BACKUP NAME (in your own code: from 'durable-restore').
import { RestoreClient, type RestoreProgressReport } from '../client/index.ts';

const [backupName = 'nightly', name = `${backupName}-1`] = process.argv.slice(2);
const restores = await RestoreClient.connect(); // by TEMPORAL_ADDRESS, TEMPORAL_API_KEY, TEMPORAL_PROFILE, …
const restore = await restores.start({ name, spec: { backupName, existingResourcePolicy: 'update' } });

const show = ({ step, itemsDone, totalItems }: RestoreProgressReport): void => {
  console.log(`${step}: ${itemsDone} of ${totalItems} items`);
};
const timer = setInterval(() => void restore.progress().then(show, console.error), 2_000);
const { status, counters } = await restore.result(); // throws where the restore failed or was cancelled
clearInterval(timer);
console.log(`${name}: ${status.phase}, ${counters.created} created, ${status.errors ?? 0} errors`);
await restores.close();
