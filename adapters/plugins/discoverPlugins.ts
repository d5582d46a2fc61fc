import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PluginLogger } from './pluginLog.ts';

const EXECUTE_BITS = 0o111;

/**
 * The programs of a plugin directory, its folders included, in the order of their names (spec plugin-protocol.md §5). As in Velero a missing
 * directory means no plugins; that and files that cannot be run are told.
 */
export async function discoverPlugins(directory: string, log: PluginLogger): Promise<string[]> {
  try {
    await readdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw error;
    log('warn', `plugin directory ${directory} does not exist: no plugins`, {});
    return [];
  }
  return programsIn(directory, log);
}

async function programsIn(directory: string, log: PluginLogger): Promise<string[]> {
  const programs: string[] = [];
  for (const name of (await readdir(directory)).sort()) {
    const path = join(directory, name);
    // Of the link itself: a link counts as a program, wherever it leads.
    const info = await lstat(path);
    if (info.isDirectory()) programs.push(...(await programsIn(path, log)));
    else if ((info.mode & EXECUTE_BITS) !== 0 || name.toLowerCase().endsWith('.exe')) programs.push(path);
    else log('warn', `${path} is not executable: no plugin`, {});
  }
  return programs;
}
