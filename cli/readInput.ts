import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CommandError } from './commandError.ts';
import { errorCode, errorMessage } from './errorParts.ts';

/** Text of a file that a flag names; `-` is the standard input. @throws CommandError `UnreadableFile` */
export async function readInput(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError('UnreadableFile', `${file}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'found a directory, expected a file';
  if (code === 'EACCES') return 'permission denied';
  return errorMessage(error);
}
