import { join } from 'node:path';
import { serversFolder } from './cache.ts';
import { runCommand } from './command.ts';
import { goEnvironment, goVersion } from './goTool.ts';
import type { GoSource, Program } from './programs.ts';
import { type Log, spell, withProgress } from './progress.ts';
import { ServerMissing } from './serverMissing.ts';

/**
 * Compiles a program from its Go module into the given file, telling how far it is.
 * @throws ServerMissing when Go is missing or the build fails; the message ends with what the Go command said
 */
export async function buildGo(
  program: Program,
  source: GoSource,
  target: string,
  log: Log,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const what = `${program.name} ${program.version}`;
  const options = {
    directory: join(serversFolder, source.module),
    environment: await goEnvironment(source.module, await goVersion(environment), environment),
  };
  log(`building ${what} with Go: about ${spellMinutes(source.minutes)} on 2 cores, once`);

  let fetched = 0;
  // Lists what there is to compile; the first time that fetches the modules.
  const list = await withProgress(
    log,
    (elapsed) => `fetching modules of ${what}: ${spell(elapsed)}, ${fetched} so far`,
    () =>
      runCommand('go', ['list', '-deps', source.package], {
        ...options,
        onErrorLine(line) {
          if (line.startsWith('go: downloading ')) fetched++;
        },
      }),
  );
  if (list.code !== 0) throw failure(what, list.errorTail);
  const total = list.output.split('\n').filter((line) => line !== '').length;

  let compiled = 0;
  // Kept apart: after a failure Go goes on with what does not depend on it, and names many packages more.
  const said: string[] = [];
  const build = await withProgress(
    log,
    (elapsed) =>
      `building ${what}: ${spell(elapsed)}, ${compiled} packages compiled` +
      ` (of ${total}; what the Go build cache has is not counted)`,
    () =>
      // The same flags every time: they are part of the key of Go's own build cache.
      runCommand('go', ['build', '-v', '-trimpath', '-ldflags=-s -w', '-o', target, source.package], {
        ...options,
        onErrorLine(line) {
          if (/^[\w.~/-]+$/.test(line)) compiled++;
          else if (said.length < 40) said.push(line);
        },
      }),
  );
  if (build.code !== 0)
    throw failure(what, said.length > 0 ? said : [`go build ended with exit code ${build.code} and without a message`]);
}

function failure(what: string, errorTail: readonly string[]): ServerMissing {
  return new ServerMissing(`${what} could not be built:\n  ${errorTail.join('\n  ')}`);
}

function spellMinutes(minutes: number): string {
  return minutes < 1 ? 'half a minute' : minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
