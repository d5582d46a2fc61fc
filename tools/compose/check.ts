import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../domain/messageOf.ts';
import { composeFileSchema } from './composeFile.schema.ts';
import { projectFolder } from './composeFile.ts';
import { loadWithComposeGo } from './composeGo.ts';
import { composeProblems } from './rules.ts';

/**
 * Checks docker-compose.yml without a container engine: `npx tsx tools/compose/check.ts`. compose-go, the library of
 * docker compose itself, reads and validates it (needs Go); then our own rules are applied to what it understood.
 * Ends with exit code 1 and one line for each problem.
 */
async function main(): Promise<void> {
  const composeFile = join(projectFolder, 'docker-compose.yml');
  const project = composeFileSchema.parse(await loadWithComposeGo(composeFile, join(projectFolder, '.env.example')));
  const { version } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as { version: string };
  const problems = composeProblems(project, version);
  for (const problem of problems) {
    console.error(problem);
  }
  if (problems.length > 0) {
    process.exitCode = 1;
    return;
  }
  const services = Object.keys(project.services).sort();
  console.log(`docker-compose.yml: valid by the compose specification, all rules kept (${services.join(', ')})`);
}

try {
  await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
