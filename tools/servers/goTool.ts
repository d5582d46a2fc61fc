import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serversFolder } from './cache.ts';
import { runCommand } from './command.ts';
import { ServerMissing } from './serverMissing.ts';

const howToInstall =
  'install it with `apt-get install golang-go` (Debian; from backports if that is older) or `brew install go` (macOS)';

/** Go 1.21 is the first that fetches the toolchain a module asks for. */
const oldestUsable = '1.21';

/**
 * The version of the Go command on PATH, such as `1.26.8`.
 * @throws ServerMissing when there is none or it is too old to be of use
 */
export async function goVersion(environment: NodeJS.ProcessEnv): Promise<string> {
  // Asked outside of any module: inside one that wants a newer Go even this question is an error.
  const { code, output, errorTail, notFound } = await runCommand('go', ['env', 'GOVERSION'], {
    directory: tmpdir(),
    environment,
  });
  if (notFound) throw new ServerMissing(`Go is missing (no go command on PATH): ${howToInstall}`);
  const found = /go(\d+(?:\.\d+)*)/.exec(output)?.[1];
  if (code !== 0 || found === undefined) {
    throw new ServerMissing(
      `the go command does not work: ${errorTail.join(' ').trim() || `go env exits with ${code}`}`,
    );
  }
  if (isOlder(found, oldestUsable)) {
    throw new ServerMissing(`Go ${found} is too old, expected ${oldestUsable} or newer: ${howToInstall}`);
  }
  return found;
}

/**
 * The environment in which a module of tools/servers is to be built: where the Go command is older than the module
 * wants, it is allowed to fetch the right one through the module proxy (many distributions forbid that by default).
 */
export async function goEnvironment(
  module: string,
  version: string,
  environment: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  const wanted = wantedGo(await readFile(join(serversFolder, module, 'go.mod'), 'utf8'));
  const base = { ...environment, GOWORK: 'off' };
  if (wanted === undefined || !isOlder(version, wanted)) return base;
  return { ...base, GOTOOLCHAIN: 'auto' };
}

/** The Go version on the `go` line of a go.mod file. */
export function wantedGo(goMod: string): string | undefined {
  return /^go (\d+(?:\.\d+)*)/m.exec(goMod)?.[1];
}

/** Whether the first dotted version comes before the second; missing parts count as 0. */
export function isOlder(version: string, than: string): boolean {
  const left = version.split('.').map(Number);
  const right = than.split('.').map(Number);
  for (let part = 0; part < Math.max(left.length, right.length); part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
