import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../domain/messageOf.ts';
import { hasCode } from '../servers/errors.ts';
import { type ClusterState, clusterStateSchema } from './state.schema.ts';

function stateFile(directory: string): string {
  return join(directory, 'state.json');
}

/**
 * The state of the cluster in that directory; undefined when there is none.
 * @throws Error naming the file when it is not a state file
 */
export async function readState(directory: string): Promise<ClusterState | undefined> {
  const file = stateFile(directory);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    return clusterStateSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(
      `${file} is not a state file of this version (${messageOf(error)}); delete it if no server of it runs`,
    );
  }
}

/** Writes the state, readable for its owner only, never half. */
export async function writeState(directory: string, state: ClusterState): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const aside = `${stateFile(directory)}.part`;
  await writeFile(aside, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  await rename(aside, stateFile(directory));
}

export async function removeState(directory: string): Promise<void> {
  await rm(stateFile(directory), { force: true });
}
