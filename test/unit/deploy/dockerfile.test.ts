import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectFolder, readComposeFile, serviceNamed } from '../../../tools/compose/composeFile.ts';

async function textOf(name: string): Promise<string> {
  return readFile(join(projectFolder, name), 'utf8');
}

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** The instructions of a Dockerfile, continuation lines joined, comments left out. */
function instructionsOf(text: string): Instruction[] {
  const joined = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return joined
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      return { word, rest };
    });
}

async function instructions(word: string): Promise<string[]> {
  return instructionsOf(await textOf('Dockerfile'))
    .filter((instruction) => instruction.word === word)
    .map(({ rest }) => rest);
}

/** What the build stage takes from the folder of the project. */
async function copiedPaths(): Promise<string[]> {
  const copies = (await instructions('COPY')).filter((rest) => !rest.startsWith('--from'));
  return copies.flatMap((rest) => rest.split(/\s+/).slice(0, -1));
}

describe('Dockerfile', () => {
  it('copies every room that the build compiles', async () => {
    const { include } = JSON.parse(await textOf('tsconfig.build.json')) as { include: string[] };
    expect(await copiedPaths()).toEqual(expect.arrayContaining(include));
  });

  it('copies the configuration of the build and what that extends', async () => {
    let next: string | undefined = 'tsconfig.build.json';
    while (next !== undefined) {
      expect(await copiedPaths()).toContain(next);
      const configuration = JSON.parse(await textOf(next)) as { extends?: string };
      next = configuration.extends?.replace('./', '');
    }
  });

  it('gets from .dockerignore exactly what it copies', async () => {
    const lines = (await textOf('.dockerignore')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    const allowed = lines.slice(1).map((line) => line.replace(/^!/, ''));
    expect(new Set(allowed)).toEqual(new Set(await copiedPaths()));
  });

  it('builds and runs on the same glibc image of Node 22', async () => {
    const images = (await instructions('FROM')).map((rest) => rest.split(' ')[0]);
    expect(images).toEqual(['node:22-bookworm-slim', 'node:22-bookworm-slim']);
  });

  it('runs as a user that is not root, by number', async () => {
    expect(await instructions('USER')).toEqual(['1000:1000']);
  });

  it('starts node directly, so that signals reach the worker', async () => {
    expect((await instructions('ENTRYPOINT')).map((rest) => JSON.parse(rest) as unknown)).toEqual([
      ['node', '--max-old-space-size=1536', 'dist/cli/main.js'],
    ]);
    const command = JSON.parse((await instructions('CMD'))[0] ?? '') as string[];
    expect(command[0]).toBe('worker');
  });

  it('starts the program that the package names as its command', async () => {
    const { bin } = JSON.parse(await textOf('package.json')) as { bin: Record<string, string> };
    expect((await instructions('ENTRYPOINT'))[0]).toContain(`"${bin['durable-restore'] ?? '?'}"`);
  });

  it('has the health check of docker-compose.yml', async () => {
    const worker = serviceNamed(await readComposeFile({ POSTGRES_PASSWORD: 'p' }), 'worker');
    const check = /CMD (\[.*\])$/.exec((await instructions('HEALTHCHECK'))[0] ?? '')?.[1] ?? '';
    expect(['CMD', ...(JSON.parse(check) as string[])]).toEqual(worker.healthcheck?.test);
  });

  it('has the cache folder that docker-compose.yml mounts a volume at', async () => {
    const worker = serviceNamed(await readComposeFile({ POSTGRES_PASSWORD: 'p' }), 'worker');
    const cache = worker.volumes.find((volume) => volume.source === 'worker-cache')?.target;
    const { rest } = instructionsOf(await textOf('Dockerfile')).find(({ word }) => word === 'ENV') ?? { rest: '' };
    expect(rest).toContain(`XDG_CACHE_HOME=${cache ?? '?'}`);
  });
});
