import type { RestoreDescription } from '../../client/index.ts';
import type { RestoreFiles } from '../restoreFiles.ts';
import type { RestoreSummary } from '../summary.ts';

/** Page of a restore in a Temporal UI. */
export function workflowUrl(uiUrl: string, namespace: string, workflowId: string, runId: string): string {
  const path = ['namespaces', namespace, 'workflows', workflowId, runId].map(encodeURIComponent).join('/');
  return `${uiUrl}/${path}/history`;
}

/**
 * Puts together what Temporal and the restore's files say of its end. Where Temporal knows less (a cancelled restore has no
 * result), the status that the restore itself wrote counts.
 */
export async function summarize(
  { name, backupName, status, ended, cancelled, counters }: RestoreDescription,
  files: RestoreFiles | undefined,
  more: Pick<RestoreSummary, 'uiUrl' | 'hint'>,
): Promise<RestoreSummary> {
  const stored = ended ? await files?.find(name) : undefined;
  const written = stored?.status;
  return {
    name,
    backupName: stored?.record.backup.name ?? backupName,
    status: written ?? status,
    cancelled,
    counters,
    results: written === undefined ? undefined : await files?.results(name),
    ...(written === undefined || files === undefined ? {} : { files: `restores/${name}/ in ${files.description}` }),
    ...more,
  };
}

/** The summary of a restore that only the store knows: Temporal has forgotten it. */
export async function summarizeStored(name: string, files: RestoreFiles): Promise<RestoreSummary | undefined> {
  const stored = await files.find(name);
  if (stored?.status === undefined) return undefined;
  return {
    name,
    backupName: stored.record.backup.name,
    status: stored.status,
    cancelled: stored.status.failureReason === 'cancelled',
    results: await files.results(name),
    files: `restores/${name}/ in ${files.description}`,
  };
}
