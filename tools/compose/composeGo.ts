import { runCommand } from '../servers/command.ts';
import { ServerMissing } from '../servers/serverMissing.ts';

/**
 * Has compose-go, the library behind docker compose, read and validate a compose file with the variables of an
 * environment file (tools/compose/main.go).
 * @returns the normalised project
 * @throws ServerMissing without Go; Error with compose-go's own words when the file is not valid
 */
export async function loadWithComposeGo(composeFile: string, environmentFile: string): Promise<unknown> {
  const result = await runCommand('go', ['run', '.', composeFile, environmentFile], { directory: import.meta.dirname });
  if (result.notFound) {
    throw new ServerMissing('Go is not on PATH; install Go 1.24 or newer to check docker-compose.yml');
  }
  if (result.code !== 0) {
    throw new Error(result.errorTail.filter((line) => !line.startsWith('go: ') && line !== 'exit status 1').join('\n'));
  }
  return JSON.parse(result.output);
}
