import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ComposeFile, type ComposeService, composeFileSchema } from './composeFile.schema.ts';

/** Folder of the project, where docker-compose.yml lies. */
export const projectFolder = join(import.meta.dirname, '..', '..');

/**
 * Reads a compose file as compose would see it with these variables. Understands what docker-compose.yml uses: the long
 * forms, YAML merge keys, `${NAME:-default}` and `${NAME:?message}`. tools/compose/main.go is the complete reader.
 * @throws Error when a required variable is not given or the file has another form
 */
export function parseComposeFile(text: string, variables: Readonly<Record<string, string>> = {}): ComposeFile {
  // Values are filled in after parsing: a `#` or a quote in one must not change what the YAML means.
  const raw: unknown = parse(text, { merge: true });
  return composeFileSchema.parse(filledIn(raw, (value) => interpolate(value, variables)));
}

/** Reads the project's docker-compose.yml. */
export async function readComposeFile(variables: Readonly<Record<string, string>> = {}): Promise<ComposeFile> {
  return parseComposeFile(await readFile(join(projectFolder, 'docker-compose.yml'), 'utf8'), variables);
}

/**
 * The service of that name.
 * @throws Error when there is none
 */
export function serviceNamed(file: ComposeFile, name: string): ComposeService {
  const service = file.services[name];
  if (service === undefined) {
    throw new Error(`services.${name}: missing in the compose file`);
  }
  return service;
}

function filledIn(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, fill));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledIn(item, fill)]));
}

function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const value = variables[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`variable ${name} is not set: ${rest}`);
    return rest;
  });
}
