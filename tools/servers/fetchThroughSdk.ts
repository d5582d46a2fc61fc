import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../domain/messageOf.ts';
import type { ProgramName } from './programs.ts';
import { type Log, spell, withProgress } from './progress.ts';
import { ServerMissing } from './serverMissing.ts';

/** The programs for which the Temporal SDK has a download of its own. */
export type SdkProgram = Extract<ProgramName, 'temporal' | 'temporal-test-server'>;

/** Whether the Temporal SDK can fetch that program. */
export function isSdkProgram(name: ProgramName): name is SdkProgram {
  return name === 'temporal' || name === 'temporal-test-server';
}

/**
 * Last resort: lets the Temporal SDK download a server as it does for its own test environment (the version that SDK
 * wants, not the pinned one), and takes the program from the SDK's download folder.
 * @throws ServerMissing when the SDK cannot reach its download site
 */
export async function fetchThroughSdk(name: SdkProgram, target: string, log: Log): Promise<void> {
  const folder = await mkdtemp(join(dirname(target), `${name}.sdk-`));
  const executable = { type: 'cached-download' as const, downloadDir: folder };
  try {
    // Imported here only: it loads the SDK's native library, which no other way of getting a program needs.
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    await withProgress(
      log,
      (elapsed) => `fetching ${name} through the Temporal SDK: ${spell(elapsed)}`,
      async () => {
        const environment =
          name === 'temporal'
            ? await TestWorkflowEnvironment.createLocal({ server: { executable } })
            : await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
        await environment.teardown();
      },
    );
    const downloaded = (await readdir(folder)).find((file) => file.startsWith(name));
    if (downloaded === undefined) throw new Error('the SDK left no program in its download folder');
    await rename(join(folder, downloaded), target);
  } catch (error) {
    throw new ServerMissing(
      `${name} could not be had through the Temporal SDK's download either: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
