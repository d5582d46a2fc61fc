import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DirectoryStore } from '../../../adapters/storage/directoryStore.ts';
import { createProgram } from '../../../cli/program.ts';
import { RestoreFiles } from '../../../cli/restoreFiles.ts';
import { RecordingTerminal } from '../../unit/cli/recordingTerminal.ts';
import { temporaryDirectory } from '../../unit/cli/temporaryDirectory.ts';

let bucket: string;
let files: RestoreFiles;

beforeEach(async () => {
  bucket = await temporaryDirectory();
  files = new RestoreFiles(new DirectoryStore({ path: bucket, prefix: '' }));
});

/** What a restore leaves in the work store. */
async function putRestore(name: string, status?: object): Promise<void> {
  const folder = join(bucket, `restores/${name}/durable/u-1`);
  const restore = { name, namespace: 'velero', uid: 'u-1', spec: { backupName: 'nightly' } };
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'restore.json'),
    JSON.stringify({ restore, backup: { name: 'nightly' }, since: '2026-11-30T09:00:00Z' }),
  );
  if (status !== undefined) await writeFile(join(folder, 'status.json'), JSON.stringify(status));
}

describe('durable-restore delete', () => {
  const deleteThem = async (...args: string[]): Promise<string> => {
    const terminal = new RecordingTerminal();
    const program = createProgram(terminal, () => undefined);
    const place = ['--backup-dir', bucket, '--temporal-address', '127.0.0.1:1', '--confirm'];
    await program.parseAsync(['delete', ...args, ...place], { from: 'user' });
    return terminal.output;
  };

  it('R-305 is a command, which does without Temporal where the files say that the restore has ended', async () => {
    await putRestore('copy', { phase: 'Completed' });

    expect(await deleteThem('copy')).toMatch(/^Restore "copy" deleted: 2 objects in /);
    expect(await files.hasFiles('copy')).toBe(false);
  });

  it('R-453, R-306 deletes nothing where one of the names is not known', async () => {
    await putRestore('copy', { phase: 'Completed' });

    await expect(deleteThem('copy', 'other')).rejects.toThrow(/^no restore named "other" in .*; nothing is deleted$/);
    expect(await files.hasFiles('copy')).toBe(true);
  });

  it.each([
    ['neither names nor --all', [], 'exactly one of names and --all'],
    ['both', ['copy', '--all'], 'exactly one of names and --all'],
    ['one that may be running', ['running'], 'restore running may be running (InProgress)'],
  ])('refuses %s', async (_, args, message) => {
    await putRestore('running');

    await expect(deleteThem(...args)).rejects.toThrow(message);
  });
});
