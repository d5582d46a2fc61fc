import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { composeFileSchema } from '../../tools/compose/composeFile.schema.ts';
import { projectFolder, readComposeFile } from '../../tools/compose/composeFile.ts';
import { loadWithComposeGo } from '../../tools/compose/composeGo.ts';
import { composeProblems } from '../../tools/compose/rules.ts';

const composeFile = join(projectFolder, 'docker-compose.yml');
const exampleVariables = join(projectFolder, '.env.example');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compose-file-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** The first call compiles compose-go: half a minute on an empty Go build cache. */
const timeoutMs = 300_000;

describe('docker-compose.yml, read by the library of docker compose', () => {
  it(
    'is valid and keeps our rules with the variables of .env.example',
    async () => {
      const project = composeFileSchema.parse(await loadWithComposeGo(composeFile, exampleVariables));
      const { version } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as {
        version: string;
      };
      expect(composeProblems(project, version)).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'means the same to it as to our own small reader',
    async () => {
      const project = composeFileSchema.parse(await loadWithComposeGo(composeFile, exampleVariables));
      const own = await readComposeFile({ POSTGRES_PASSWORD: 'change-me' });
      expect(Object.keys(project.services).sort()).toEqual(Object.keys(own.services).sort());
      for (const [name, service] of Object.entries(own.services)) {
        const other = project.services[name];
        expect(other).toMatchObject({ image: service.image, environment: service.environment });
        expect([name, other?.command ?? []]).toEqual([name, service.command ?? []]);
      }
    },
    timeoutMs,
  );

  const breakages: [string, string, string, RegExp][] = [
    ['an unknown key of a service', 'shm_size: 256m', 'shared_memory: 256m', /services\.postgresql\.shared_memory/],
    ['a wrong type', 'init: true', 'init: [true]', /services\.worker\.init must be a boolean/],
    ['retries that are no number', 'retries: 12', 'retries: often', /retries/],
    ['an undeclared volume', '  worker-cache:\n', '', /undefined volume worker-cache/],
    [
      'an unknown dependency',
      'temporal-schema:\n        condition',
      'schema:\n        condition',
      /depends on undefined service/,
    ],
    ['a condition that there is not', 'service_healthy', 'service_well', /depends_on/],
    ['a tab in the indentation', '    init: true', '\tinit: true', /tab|cannot start any token/],
  ];

  it.each(breakages)(
    'would not be valid with %s',
    async (_, from, to, message) => {
      const text = await readFile(composeFile, 'utf8');
      expect(text).toContain(from);
      const broken = join(folder, 'docker-compose.yml');
      await writeFile(broken, text.replace(from, to));
      await expect(loadWithComposeGo(broken, exampleVariables)).rejects.toThrow(message);
    },
    timeoutMs,
  );

  it(
    'asks for a password when the environment file has none',
    async () => {
      const empty = join(folder, 'empty.env');
      await writeFile(empty, '');
      await expect(loadWithComposeGo(composeFile, empty)).rejects.toThrow(/set POSTGRES_PASSWORD/);
    },
    timeoutMs,
  );
});
